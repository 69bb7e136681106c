import type { Page } from 'playwright-core'
import { lacksBrowser } from '../tests/support/pages/browser.ts'
import { type Effort, median, type Result, round2, target } from './compare.ts'
import { type DashboardStand, openDashboardStand } from './dashboard-stand.ts'

const SIZE = { webhooks: 100, deliveries: 100_000 }
const SIZE_TINY = { webhooks: 3, deliveries: 2_000 }
const KB = 1000
const FIRST_LOAD_KB_MAX = 300
const INTERACTIVE_MS_MAX = 1000
const WAIT_MS_MAX = 100

/** A reader who flings the list: some 70 rows in every frame. */
const PX_A_FRAME = 3000

/** A load or a scroll that takes longer means that something is broken. */
const PATIENCE_MS = 1_800_000

/** Ways down the log. */
const SCROLLS = 2

/** A page and what is there when it can be used. */
type Place = { name: string; path: string; usable: string }

/** One load with an empty cache. */
type Load = { kb: number; apiKb: number; interactiveMs: number }

/** One way down the whole log. */
type Scroll = {
  waitsMs: number[]
  framesMs: number[]
  heapMb: number
  calls: number
  /** Of the page's main thread, for a frame. */
  cpuMs: number
}

/** P19: the first load of the dashboard, and scrolling through a long log. */
export async function dashboard(effort: Effort): Promise<Result> {
  const isFull = effort.rounds > 1
  const size = isFull ? SIZE : SIZE_TINY
  if (lacksBrowser()) return notMeasured(size.deliveries)
  await using opened = new AsyncDisposableStack()
  const stand = opened.adopt(await openDashboardStand(size), (one) => one.stop())
  const places = placesOf(stand)
  const loads = new Map<string, Load[]>(places.map(({ name }) => [name, []]))
  // The first load of each wakes up the browser and the server, and is not counted.
  for (let round = isFull ? 0 : 1; round <= effort.rounds; round++) {
    for (const place of round % 2 === 0 ? places : places.toReversed()) {
      const load = await measureLoad(stand, place)
      if (round > 0) loads.get(place.name)?.push(load)
    }
  }
  const scrolls: Scroll[] = []
  for (let turn = 0; turn < (isFull ? SCROLLS : 1); turn++) {
    scrolls.push(await measureScroll(stand))
  }
  return resultOf(size, loads, scrolls)
}

function placesOf({ webhookId }: DashboardStand): Place[] {
  return [
    { name: 'overview', path: '/', usable: 'main h1' },
    { name: 'webhooks', path: '/webhooks', usable: 'table.whlist tbody tr' },
    { name: 'log', path: `/webhooks/${webhookId}`, usable: 'tr[data-delivery]' },
  ]
}

function resultOf(
  { webhooks, deliveries }: typeof SIZE,
  loads: ReadonlyMap<string, readonly Load[]>,
  scrolls: readonly Scroll[],
): Result {
  const all = [...loads.values()]
  const largestKb = Math.max(...all.flat().map(({ kb }) => kb))
  const slowestMs = Math.max(...all.map((some) => median(some.map((one) => one.interactiveMs))))
  const longestMs = Math.max(0, ...scrolls.flatMap(({ waitsMs }) => waitsMs))
  const bound = { atMost: FIRST_LOAD_KB_MAX }
  return {
    scenario: 'P19',
    title: `the dashboard, ${webhooks} webhooks, a log of ${deliveries.toLocaleString('en')}`,
    rows: [],
    targets: [
      target('first load, compressed, the largest page', largestKb, bound, 'KB'),
      target('interactive, median, slowest page', slowestMs, { atMost: INTERACTIVE_MS_MAX }, 'ms'),
      target('longest wait for a page of the log', longestMs, { atMost: WAIT_MS_MAX }, 'ms'),
    ],
    notes: [...[...loads].map(loadText), ...scrolls.map(scrollText)],
  }
}

function loadText([name, some]: [string, readonly Load[]]): string {
  const times = some.map(({ interactiveMs }) => interactiveMs)
  const of = (field: 'kb' | 'apiKb') => round2(median(some.map((one) => one[field])))
  return (
    `${name}: ${of('kb')} KB, of which ${of('apiKb')} are answers of the API; interactive after ` +
    `${Math.round(median(times))} ms, ${Math.round(Math.max(...times))} at most`
  )
}

function scrollText({ waitsMs, framesMs, heapMb, calls, cpuMs }: Scroll): string {
  const sorted = framesMs.toSorted((one, other) => one - other)
  const at = (share: number) => round2(sorted[Math.floor(sorted.length * share)] ?? 0)
  return (
    `scrolling: ${sorted.length} frames of ${PX_A_FRAME} px, ${at(0.5)} ms at p50, ${at(0.99)} at ` +
    `p99, ${round2(cpuMs)} ms of CPU each; ${waitsMs.length} waits; ${calls} calls; ${round2(heapMb)} MB of heap at the end`
  )
}

function notMeasured(deliveries: number): Result {
  const what = 'first load, interactive, waits'
  return {
    scenario: 'P19',
    title: `the dashboard, a log of ${deliveries.toLocaleString('en')}`,
    rows: [],
    targets: [{ what, wanted: 'a browser', measured: 'none', met: null }],
    notes: ['There is no browser on this machine.'],
  }
}

/** Loads a page with nothing in the cache, until it is drawn and all that it asks for is there. */
async function measureLoad({ browser, url }: DashboardStand, place: Place): Promise<Load> {
  const page = await browser.newPage()
  const transfers = await countTransfers(page)
  await page.addInitScript({ content: noteUsable(place.usable) })
  await page.goto(`${url}${place.path}`)
  const interactiveMs = await page.evaluate<number>('window.usableAfterMs')
  await transfers.settled()
  await page.close()
  const sum = (some: readonly Transfer[]) => some.reduce((all, one) => all + one.bytes, 0) / KB
  const all = transfers.list()
  return { kb: sum(all), apiKb: sum(all.filter(({ isApi }) => isApi)), interactiveMs }
}

/** Runs in the page: when what makes it usable was on the screen, and the page at rest. */
function noteUsable(selector: string): string {
  return `window.usableAfterMs = new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector(${JSON.stringify(selector)})) requestAnimationFrame(look)
      else requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
    }
    look()
  })`
}

/** A file or an answer as it came over the wire, its headers included. */
type Transfer = { isApi: boolean; bytes: number; isDone: boolean }

/** Counts what a page loads; the stream of events, which never ends, is left out. */
async function countTransfers(page: Page) {
  const session = await page.context().newCDPSession(page)
  const transfers = new Map<string, Transfer>()
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/events') return
    const isApi = pathname.startsWith('/api/')
    transfers.set(requestId, { isApi, bytes: 0, isDone: false })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const transfer = transfers.get(requestId)
    if (transfer) Object.assign(transfer, { bytes: encodedDataLength, isDone: true })
  })
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const list = () => [...transfers.values()]
  const settled = async () => {
    const endsAtMs = performance.now() + PATIENCE_MS
    while (list().some(({ isDone }) => !isDone)) {
      if (performance.now() > endsAtMs) throw new Error('the page never had all it asked for')
      await page.evaluate('new Promise(requestAnimationFrame)')
    }
  }
  return { list, settled }
}

/** Tells the CPU time of a page's main thread: steadier than the clock on a shared machine. */
async function openCpuMeter(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
}

/** Goes down the whole log, frame by frame, and notes when rows in view were not there yet. */
async function measureScroll(stand: DashboardStand): Promise<Scroll> {
  const page = await stand.browser.newPage()
  let calls = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/deliveries') calls++
  })
  await page.goto(`${stand.url}/webhooks/${stand.webhookId}`)
  await page.locator('tr[data-delivery]').first().waitFor({ timeout: PATIENCE_MS })
  const cpuMsSoFar = await openCpuMeter(page)
  const beforeMs = await cpuMsSoFar()
  const seen = await page.evaluate<Omit<Scroll, 'calls' | 'cpuMs'>>(SCROLL_DOWN)
  const cpuMs = ((await cpuMsSoFar()) - beforeMs) / seen.framesMs.length
  await page.close()
  return { ...seen, calls, cpuMs }
}

/** Runs in the page, until the oldest delivery is there. */
const SCROLL_DOWN = `(async () => {
  const framesMs = []
  const waitsMs = []
  const startedMs = performance.now()
  let lastMs = startedMs
  let waitsSinceMs = null
  const isInView = (element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return bottom > 0 && top < innerHeight
  }
  for (;;) {
    await new Promise(requestAnimationFrame)
    const nowMs = performance.now()
    framesMs.push(nowMs - lastMs)
    lastMs = nowMs
    const isWaiting = [...document.querySelectorAll('tbody .sk')].some(isInView)
    if (isWaiting) waitsSinceMs ??= nowMs
    else if (waitsSinceMs !== null) {
      waitsMs.push(nowMs - waitsSinceMs)
      waitsSinceMs = null
    }
    const last = [...document.querySelectorAll('tr[data-delivery] .b')].at(-1)?.textContent
    if (last === '1,000,001') break
    if (nowMs - startedMs > ${PATIENCE_MS}) throw new Error('the end was never reached')
    scrollBy(0, ${PX_A_FRAME})
  }
  const heapMb = (performance.memory?.usedJSHeapSize ?? 0) / 1e6
  return { framesMs, waitsMs, heapMb }
})()`

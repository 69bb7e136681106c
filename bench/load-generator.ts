/**
 * Sends calls over kept connections and times each. With `ratePerSecond` it keeps
 * that rate whatever the server does, and counts from when a call was due, so that
 * a slow server cannot hide its queue. Prints one line of JSON.
 */
export type LoadOrder = {
  url: string
  connections: number
  seconds: number
  ratePerSecond: number | null
  /** `unique` asks for another balance each time, `same` for one; a number asks for batches. */
  calls: 'unique' | 'same' | number
}

export type LoadReport = {
  requests: number
  calls: number
  failed: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

type Line = { dueAtMs: number; seen: Buffer | null; busy: boolean }

const order = JSON.parse(process.argv[2] ?? '{}') as LoadOrder
const url = new URL(order.url)
const head = `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\n`
const perRequest = typeof order.calls === 'number' ? order.calls : 1
const took: number[] = []
let failed = 0
let serial = Date.now() * 1000
const idle: Bun.Socket<Line>[] = []
const startedAtMs = performance.now()
const endsAtMs = startedAtMs + order.seconds * 1000

await Promise.all(Array.from({ length: order.connections }, connect))
if (order.ratePerSecond === null)
  for (const socket of idle.splice(0)) send(socket, performance.now())
else await keepRate(order.ratePerSecond)
await Bun.sleep(Math.max(0, endsAtMs - performance.now()) + 50)
report()

async function connect(): Promise<void> {
  const socket = await Bun.connect<Line>({
    hostname: url.hostname,
    port: Number(url.port),
    data: { dueAtMs: 0, seen: null, busy: false },
    socket: { data: received, close: lost, error: lost },
  })
  socket.setNoDelay(true)
  idle.push(socket)
}

async function keepRate(ratePerSecond: number): Promise<void> {
  let sent = 0
  while (performance.now() < endsAtMs) {
    const due = Math.floor(((performance.now() - startedAtMs) / 1000) * ratePerSecond)
    while (sent < due) {
      const socket = idle.pop()
      if (!socket) break
      send(socket, startedAtMs + (sent * 1000) / ratePerSecond)
      sent++
    }
    await Bun.sleep(1)
  }
}

function send(socket: Bun.Socket<Line>, dueAtMs: number): void {
  const body = bodyText()
  socket.data.dueAtMs = dueAtMs
  socket.data.busy = true
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
}

function bodyText(): string {
  if (typeof order.calls !== 'number') return callText(order.calls === 'same' ? 1 : ++serial)
  return `[${Array.from({ length: perRequest }, () => callText(++serial)).join(',')}]`
}

function callText(number: number): string {
  const address = number.toString(16).padStart(40, '0')
  return `{"jsonrpc":"2.0","id":${number},"method":"eth_getBalance","params":["0x${address}","latest"]}`
}

function received(socket: Bun.Socket<Line>, bytes: Buffer): void {
  const { data } = socket
  const all = data.seen ? Buffer.concat([data.seen, bytes]) : bytes
  const end = all.indexOf('\r\n\r\n')
  const length = end < 0 ? -1 : lengthIn(all.toString('latin1', 0, end))
  if (length < 0 || all.length < end + 4 + length) {
    data.seen = all
    return
  }
  data.seen = null
  data.busy = false
  const nowMs = performance.now()
  took.push(nowMs - data.dueAtMs)
  const text = all.toString('latin1', end + 4)
  if (text.split('"result"').length - 1 !== perRequest) failed++
  if (nowMs >= endsAtMs) return
  if (order.ratePerSecond === null) send(socket, nowMs)
  else idle.push(socket)
}

function lengthIn(headText: string): number {
  const found = /content-length: *(\d+)/i.exec(headText)
  return found ? Number(found[1]) : -1
}

function lost(socket: Bun.Socket<Line>): void {
  if (socket.data.busy) failed++
  socket.data.busy = false
}

function report(): void {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  const result: LoadReport = {
    requests: took.length,
    calls: took.length * perRequest,
    failed,
    seconds: (performance.now() - startedAtMs) / 1000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  }
  console.log(JSON.stringify(result))
  process.exit(0)
}

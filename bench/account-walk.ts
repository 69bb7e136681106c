import type { Contender, Gate } from './contenders.ts'

/** The beginning or the end of a reply, where a pageKey stands. */
const KEY_BYTES = 600
const PAGE_KEY = /"pageKey":"([^"]+)"/
const KEYS_PASS = /headgate_index_passes_total\{kind="keys"[^}]*outcome="verified"[^}]*\} [1-9]/
const READY_TRIES_MAX = 4000
const READY_EVERY_MS = 50

export type Page = { bytes: number; pageKey: string | null; isIndexed: boolean }

/** One page in base64, read to its end. */
export async function readPage(
  gate: Contender,
  program: string,
  config: { pageKey?: string | null; limit?: number },
): Promise<Page> {
  const { pageKey, limit } = config
  const options = {
    encoding: 'base64',
    commitment: 'confirmed',
    withContext: true,
    ...(limit ? { limit } : {}),
    ...(pageKey ? { pageKey } : {}),
  }
  const call = { jsonrpc: '2.0', id: 1, method: 'getProgramAccounts', params: [program, options] }
  // Uncompressed: the measure is how fast pages are made and sent.
  const headers = { 'accept-encoding': 'identity' }
  const response = await fetch(gate.url, { method: 'POST', headers, body: JSON.stringify(call) })
  const body = Buffer.from(await response.arrayBuffer())
  const begin = body.toString('latin1', 0, KEY_BYTES)
  if (!response.ok || begin.includes('"error":')) throw new Error(begin)
  const key = PAGE_KEY.exec(body.toString('latin1', Math.max(0, body.length - KEY_BYTES)))?.[1]
  const isIndexed = response.headers.get('x-headgate-upstream') === 'index'
  return { bytes: body.length, pageKey: key ?? null, isIndexed }
}

/** Ends when pages of all these programs come from the index. */
export async function indexed(gate: Gate, ...programs: string[]): Promise<void> {
  for (let tries = 0; tries < READY_TRIES_MAX; tries++) {
    const answer = await fetch(gate.networksUrl, gate.asTeam)
    const { data } = (await answer.json()) as { data: { account_indexes: { state: string }[] }[] }
    const live = data[0]?.account_indexes.filter(({ state }) => state === 'live') ?? []
    if (live.length === programs.length) {
      const pages = await Promise.all(programs.map((one) => readPage(gate, one, { limit: 1 })))
      if (pages.every(({ isIndexed }) => isIndexed)) return
    }
    await Bun.sleep(READY_EVERY_MS)
  }
  throw new Error(`${programs} were never indexed`)
}

/** Waits for the first check for closed accounts, which runs soon after the start. */
export async function checked({ networksUrl }: Gate): Promise<void> {
  for (let tries = 0; tries < READY_TRIES_MAX; tries++) {
    const metrics = await (await fetch(new URL('/metrics', networksUrl))).text()
    if (KEYS_PASS.test(metrics)) return
    await Bun.sleep(READY_EVERY_MS)
  }
  throw new Error('the index was never checked')
}

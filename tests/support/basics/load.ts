import type { HeadgateProcess } from '../product/headgate-process.ts'

type Answered = { atMs: number; upstream: string; cu: string }

/** Clients that ask one question after the other, until they are stopped or cut off. */
export type Load = {
  answered: Answered[]
  /** Answers that came and were no results. */
  wrong: string[]
  /** Calls whose answer never came. */
  lost: number
  /** Lets what is under way finish. */
  stop(): Promise<void>
}

const WORKERS = 8

/** Leaves room for whatever else the machine does; the load is to be steady, not heavy. */
const PAUSE_MS = 3

/** No two calls are alike, so none is answered from a cache or along with another. */
let asked = 0

export function startLoad({ url, keys }: HeadgateProcess): Load {
  let stopping = false
  const load: Load = {
    answered: [],
    wrong: [],
    lost: 0,
    async stop() {
      stopping = true
      await Promise.all(workers)
    },
  }

  const work = async () => {
    while (!stopping) {
      try {
        await ask(load, `${url}/eth-mainnet/v2/${keys.app_key}`)
      } catch {
        load.lost++
        return
      }
      await Bun.sleep(PAUSE_MS)
    }
  }
  const workers = Array.from({ length: WORKERS }, work)
  return load
}

async function ask(load: Load, endpoint: string): Promise<void> {
  const address = `0x${(++asked).toString(16).padStart(40, '0')}`
  const params = [address, 'latest']
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: asked, method: 'eth_getBalance', params }),
  })
  const text = await response.text()
  if (!text.includes('"result":"0x1"')) {
    load.wrong.push(`${response.status} ${text}`)
    return
  }
  load.answered.push({
    atMs: Date.now(),
    upstream: response.headers.get('x-headgate-upstream') ?? '',
    cu: response.headers.get('x-headgate-cu') ?? '',
  })
}

/** The ledger's figures for the default team's month. */
export async function ledgerOf({ url, keys }: HeadgateProcess) {
  const response = await fetch(`${url}/api/usage/summary`, {
    headers: { 'x-service-token': keys.team_token },
  })
  const { data } = (await response.json()) as {
    data: { month_cu: number; this_month: { calls: number; cu: number } }
  }
  return { calls: data.this_month.calls, cu: data.this_month.cu, monthCu: data.month_cu }
}

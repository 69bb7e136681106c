import { type TestHeadgate, until } from '../product/headgate.ts'

/** The embedded chain of a running Headgate, spoken to directly, as nobody else can. */
export type DevnetChain = {
  call<T>(method: string, ...params: unknown[]): Promise<T>
  /** Sends from the first test account and mines; the hash of the transaction. */
  send(transaction: Record<string, string>): Promise<string>
  mine(blocks?: number): Promise<void>
  head(): Promise<{ number: number; hash: string }>
  hashAt(number: number): Promise<string>
  /**
   * Waits until the follower stands where the chain does. A webhook that is there before the first
   * block is followed would get that block too.
   */
  untilFollowed(): Promise<void>
}

type RawBlock = { number: string; hash: string }

export function devnetChain(headgate: TestHeadgate): DevnetChain {
  const url = headgate.running.settings.networks[0]?.upstreams[0]?.url ?? ''
  const call = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const reply = (await response.json()) as { result?: T; error?: { message: string } }
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`)
    return reply.result as T
  }
  const block = (tag: string) => call<RawBlock>('eth_getBlockByNumber', tag, false)
  const head = async () => {
    const { number, hash } = await block('latest')
    return { number: Number(number), hash }
  }
  return {
    call,
    async send(transaction) {
      const [from] = await call<string[]>('eth_accounts')
      // The node mines a transaction that fails, and yet answers with its error.
      const hash = await call<string>('eth_sendTransaction', { from, ...transaction })
      await call('evm_mine')
      return hash
    },
    async mine(blocks = 1) {
      for (let at = 0; at < blocks; at++) await call('evm_mine')
    },
    head,
    hashAt: async (number) => (await block(`0x${number.toString(16)}`)).hash,
    async untilFollowed() {
      const { hash } = await head()
      const stands = () => headgate.running.followers?.statusOf('ETH_DEVNET')?.hash === hash
      await until(stands, `the follower is at ${hash}`)
    },
  }
}

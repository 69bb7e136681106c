/** A chain that takes JSON-RPC; of EDR's answers nothing but the text is used. */
export type RequestHandler = { handleRequest(request: string): Promise<{ data: unknown }> }

/** The chain itself, asked without regard to others. */
export type RawChain = {
  /** A text as the chain gives it: `{"result":…}` or `{"error":…}`; null when it chokes. */
  ask(method: string, params: unknown): Promise<string | null>
  /** The result itself; throws a ChainRefusal with what the chain says against it. */
  result<T>(method: string, ...params: unknown[]): Promise<T>
}

export type RawTransaction = Readonly<Record<string, unknown>> & { hash: string; type: string }

export type RawBlock<T = string> = {
  number: string
  hash: string
  parentHash: string
  timestamp: string
  transactions: readonly T[]
}

export class ChainRefusal extends Error {
  override readonly name = 'ChainRefusal'
}

type Answer<T> = { result: T } | { error: { message: string } }

export function openRawChain(provider: RequestHandler): RawChain {
  /** One call that the chain chokes on must not end the process that serves all others. */
  const ask = async (method: string, params: unknown): Promise<string | null> => {
    try {
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const { data } = await provider.handleRequest(request)
      return typeof data === 'string' ? data : JSON.stringify(data)
    } catch {
      return null
    }
  }
  return rawChainOf(ask)
}

export function rawChainOf(ask: RawChain['ask']): RawChain {
  return {
    ask,
    async result<T>(method: string, ...params: unknown[]) {
      const text = await ask(method, params)
      if (text === null) throw new ChainRefusal(`the chain failed to answer ${method}`)
      const answer = JSON.parse(text) as Answer<T>
      if ('error' in answer) throw new ChainRefusal(answer.error.message)
      return answer.result
    },
  }
}

/** The codes of JSON-RPC, and of go-ethereum for errors without one of their own. */
export const INVALID_PARAMS = -32602
export const SERVER_ERROR = -32000

export function errorText(code: number, message: string): string {
  return JSON.stringify({ error: { code, message } })
}

export function quantity(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

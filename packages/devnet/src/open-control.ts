import type {
  ChainAccess,
  DevnetControl,
  DevnetNode,
  DevnetSent,
  DevnetState,
  SolanaDevnetControl,
  SolanaDevnetState,
} from './devnet-control.ts'

type Answer<T> = { result: T } | { error: { message: string } }

/** Far longer than the deepest reorganisation takes; a trace of somebody else may be in the way. */
const ANSWER_MS_MAX = 15_000

/** A block that is full of traffic takes most of this, on a machine that is busy. */
const MINE_MS_MAX = 1_000

/** The chain repeats what it was sent, which may be long. */
const MESSAGE_CHARS_MAX = 500

export function openEvmControl<Refused>(
  access: ChainAccess<Refused>,
  url: string,
  network: string,
  nodeNames: readonly string[],
): DevnetControl<Refused> {
  const ask = <T>(method: string, wanted: object, answerMsMax?: number) =>
    askChain<T, Refused>(access, url, method, wanted, answerMsMax)
  const askNodes = (method: string, wanted: object) =>
    ask<DevnetNode[]>(method, { ...wanted, names: nodeNames })
  return {
    network,
    state: () => ask<DevnetState>('headgate_state', {}),
    mine: (blocks) =>
      ask<DevnetState>('headgate_mine', { blocks }, ANSWER_MS_MAX + blocks * MINE_MS_MAX),
    reorganise: (wanted) => ask<DevnetState>('headgate_reorganise', wanted),
    drop: (height) => ask<DevnetState>('headgate_drop', { height }),
    change: (wanted) => ask<DevnetState>('headgate_change', wanted),
    send: ({ kind, to, value }) =>
      ask<DevnetSent>('headgate_send', {
        kind,
        ...(to !== null && { to }),
        ...(value !== null && { value }),
      }),
    nodes: () => askNodes('headgate_nodes', {}),
    changeNode: (name, { behaviour, blocks }) =>
      askNodes('headgate_setNode', { name, behaviour, blocks }),
    stall: (ms) => askNodes('headgate_stall', { ms }),
  }
}

export function openSolanaControl<Refused>(
  access: ChainAccess<Refused>,
  url: string,
  network: string,
): SolanaDevnetControl<Refused> {
  const pace = (wanted: object) =>
    askChain<SolanaDevnetState, Refused>(access, url, 'headgate_setPace', wanted)
  return { network, state: () => pace({}), change: pace }
}

async function askChain<T, Refused>(
  { post, refuse }: ChainAccess<Refused>,
  url: string,
  method: string,
  wanted: object,
  answerMsMax = ANSWER_MS_MAX,
): Promise<T | Refused> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [wanted] })
  const text = await post(url, body, answerMsMax)
  if (text === null) return refuse('silent', 'The development chain does not answer.')

  const answer = JSON.parse(text) as Answer<T>
  if ('result' in answer) return answer.result
  const message = answer.error.message.slice(0, MESSAGE_CHARS_MAX)
  return refuse('refused', message.endsWith('.') ? message : `${message}.`)
}

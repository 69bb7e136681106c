export type ChainAccess<Refused> = {
  /** Null: no answer came within that time. */
  post(url: string, body: string, answerMsMax: number): Promise<string | null>
  refuse(reason: 'refused' | 'silent', message: string): Refused
}

/** `blocks` is how many a lagging node is behind, and 0 for others. */
export type DevnetNodeChange = {
  behaviour: 'honest' | 'lag' | 'lie' | 'fail' | 'hang'
  blocks: number
}

export type DevnetNode = DevnetNodeChange & { name: string }

/** A block of the development chain; one that was replaced is known for a while. */
export type DevnetBlock = {
  number: number
  hash: string
  parentHash: string
  transactions: number
  timeMs: number
  /** Null for a canonical block. */
  replacedAtMs: number | null
}

export type DevnetState = {
  chainId: number
  /** 0: blocks only on command. */
  blockTimeMs: number
  isHeld: boolean
  /** Transactions of the chain's own. */
  transactionsPerBlock: number
  /** Blocks come without them: the chain's process has grown too large. */
  isTrafficResting: boolean
  pendingTransactions: number
  head: { number: number; hash: string }
  /** Lowest first; at one height replaced ones come before the canonical one. */
  blocks: readonly DevnetBlock[]
}

export type DevnetReorganisation = {
  depth: number
  /** More than `depth`. */
  blocks: number
  /** Transactions of replaced blocks are mined again, or are gone. */
  transactions: 'keep' | 'drop'
}

/** Absent: as it was. */
export type DevnetChange = {
  isHeld?: boolean
  blockTimeMs?: number
  transactionsPerBlock?: number
}

type DevnetSend = { kind: 'transfer' | 'log'; to: string | null; value: string | null }

export type DevnetSent = {
  transactionHash: string
  from: string
  to: string
  value: string
  /** The contract that emits the event; null for a transfer. */
  contract: string | null
  state: DevnetState
}

/** How fast the ledger lives; a `slotTimeMs` of 0: slots only on command. */
export type SolanaDevnetPace = { slotTimeMs: number; isHeld: boolean; changesPerSlot: number }

export type SolanaDevnetState = SolanaDevnetPace & {
  /** The slot that is being filled. */
  slot: number
  blockHeight: number
  /** The token accounts that change by themselves. */
  tokenAccounts: number
  /** Since the ledger began. */
  transactions: number
}

export type DevnetControl<Refused> = ReturnType<typeof openEvmControl<Refused>>

export type SolanaDevnetControl<Refused> = ReturnType<typeof openSolanaControl<Refused>>

type Answer<T> = { result: T } | { error: { message: string } }

/** Far longer than the deepest reorganisation takes; a trace of somebody else may be in the way. */
const ANSWER_MS_MAX = 15_000

/** A block that is full of traffic takes most of this, on a machine that is busy. */
const MINE_MS_MAX = 1_000

/** The chain repeats what it was sent, which may be long. */
const MESSAGE_CHARS_MAX = 500

/** Controls the development chain. Each call returns the new state, or its user's refusal. */
export function openEvmControl<Refused>(
  access: ChainAccess<Refused>,
  url: string,
  network: string,
  nodeNames: readonly string[],
) {
  const ask = <T>(method: string, wanted: object, answerMsMax?: number) =>
    askChain<T, Refused>(access, url, method, wanted, answerMsMax)
  const askNodes = (method: string, wanted: object) =>
    ask<readonly DevnetNode[]>(method, { ...wanted, names: nodeNames })
  return {
    network,
    state: () => ask<DevnetState>('headgate_state', {}),
    mine: (blocks: number) =>
      ask<DevnetState>('headgate_mine', { blocks }, ANSWER_MS_MAX + blocks * MINE_MS_MAX),
    /** One step: no client sees it half done. */
    reorganise: (wanted: DevnetReorganisation) => ask<DevnetState>('headgate_reorganise', wanted),
    /** Goes back to that height, as a node that was reset: nothing replaces the blocks. */
    drop: (height: number) => ask<DevnetState>('headgate_drop', { height }),
    change: (wanted: DevnetChange) => ask<DevnetState>('headgate_change', wanted),
    send: ({ kind, to, value }: DevnetSend) =>
      ask<DevnetSent>('headgate_send', {
        kind,
        ...(to !== null && { to }),
        ...(value !== null && { value }),
      }),
    nodes: () => askNodes('headgate_nodes', {}),
    changeNode: (name: string, { behaviour, blocks }: DevnetNodeChange) =>
      askNodes('headgate_setNode', { name, behaviour, blocks }),
    /** No node answers for this long. */
    stall: (ms: number) => askNodes('headgate_stall', { ms }),
  }
}

export function openSolanaControl<Refused>(
  access: ChainAccess<Refused>,
  url: string,
  network: string,
) {
  const pace = (wanted: Partial<SolanaDevnetPace>) =>
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

import type { Chance } from '../../support/basics/seeded-chance.ts'

/** The faults that a node may have for a while. */
export type FaultKind =
  /** Its head stands still. */
  | 'frozen'
  /** Calls: no answer, an internal error, HTTP statuses, no connection, a lost one, nonsense. */
  | 'hangs'
  | 'errors'
  | 'http_500'
  | 'http_429'
  | 'refuses'
  | 'breaks'
  | 'garbage'
  | 'slow'
  /** A call is lost, but no poll and never two in a row: nobody would think it ill for that. */
  | 'hiccups'
  /** Content: parts of a block are missing, of another block, or disagree. */
  | 'no_block'
  | 'no_receipts'
  | 'empty_receipts'
  | 'sibling_receipts'
  | 'lost_logs'
  | 'wrong_bloom'
  | 'lost_transactions'
  /** Sockets. */
  | 'socket_closed'
  | 'socket_silent'
  /** A made-up header that nobody can be shown the block of. */
  | 'lies_header'
  /** Whole made-up blocks, as of a node that mines alone. */
  | 'lies_branch'

export type Fault = {
  kind: FaultKind
  fromMs: number
  untilMs: number
  /** How often it strikes while it lasts. */
  rate: number
}

const STILL: readonly FaultKind[] = ['frozen']
const CALLS: readonly FaultKind[] = [
  'hangs',
  'errors',
  'http_500',
  'http_429',
  'refuses',
  'breaks',
  'garbage',
  'slow',
]
const CONTENT: readonly FaultKind[] = [
  'no_block',
  'no_receipts',
  'empty_receipts',
  'sibling_receipts',
  'lost_logs',
  'wrong_bloom',
  'lost_transactions',
]
const SOCKET: readonly FaultKind[] = ['socket_closed', 'socket_silent']
const LIES: readonly FaultKind[] = ['lies_header', 'lies_branch']

/** How a node may behave: `steady` ones outvote a liar, so they always answer truthfully. */
export type Character = 'steady' | 'wild' | 'liar'

const KINDS: Readonly<Record<Character, readonly FaultKind[]>> = {
  steady: [...CONTENT, ...SOCKET, 'hiccups', 'hiccups'],
  wild: [...STILL, ...CALLS, ...CONTENT, ...SOCKET],
  liar: [...LIES, ...LIES, ...LIES, ...STILL, ...CALLS, ...CONTENT, ...SOCKET],
}

const RATES = [0.05, 0.3, 1] as const
const HICCUP_RATE = 0.3

/** Up to so many at a node in one run, each of them over before `endMs`. */
export function planFaults(
  chance: Chance,
  character: Character,
  count: number,
  endMs: number,
): Fault[] {
  return Array.from({ length: count }, () => {
    const fromMs = Math.floor(chance.fraction() ** 1.5 * endMs)
    const lastsMs = Math.floor(chance.fraction() ** 2 * (endMs - fromMs))
    const kind = chance.pick(KINDS[character])
    const rate = kind === 'hiccups' ? HICCUP_RATE : chance.pick(RATES)
    return { kind, fromMs, untilMs: fromMs + lastsMs, rate }
  })
}

import type { NetworkKind } from '../network.ts'
import { allSent, type SentCall, withoutEcho } from './without-echo.ts'

/**
 * The meaning of an error inside a node's answer for the request.
 * `caller`: every node would say it; hand it on.
 * `elsewhere`: this node cannot (behind, pruned, a narrower limit), another may.
 * `internal`: it failed inside; its own fault if another does better.
 * `unclear`: it gave up on the way; another may not, and nobody is at fault.
 * `throttled`: the node or vendor limits us; never the caller's business.
 * `unsupported`: the method is missing on this node.
 * `refused`: our credentials or plan at that vendor are at fault.
 */
export type ErrorClass =
  | 'caller'
  | 'elsewhere'
  | 'internal'
  | 'unclear'
  | 'throttled'
  | 'unsupported'
  | 'refused'

/** `byWords`: nothing but the wording of the message speaks for it. */
type ErrorVerdict = { class: ErrorClass; byWords: boolean }

type Rule = { codes?: readonly number[]; message?: RegExp; class: ErrorClass }

/** Codes for params that the node could not read; such errors repeat the params' own words. */
const CALLERS_CODES: readonly number[] = [-32600, -32602, -32700]

/** Vendors draw this line differently, so another one may well answer. */
const TOO_WIDE =
  /more than \d+ (results|logs|blocks)|block range|range .{0,40}?(large|wide|exceed|limit)|limited to .{0,20}?range|response (size|too large)|too many (logs|results)|query timeout/i

/** First match wins: from what only the caller can cause to what another node may cure. */
const EVM_RULES: readonly Rule[] = [
  { codes: [3], class: 'caller' },
  {
    message: /execution reverted|reverted with|vm exception|invalid opcode|out of gas/i,
    class: 'caller',
  },
  {
    message:
      /nonce too (low|high)|old ?nonce|already ?known|already imported|insufficient funds|underpriced|intrinsic gas|exceeds block gas limit|invalid sender|known transaction/i,
    class: 'caller',
  },
  { codes: [-32601], class: 'unsupported' },
  {
    message:
      /method .{0,80}?(not found|does not exist|not available|not supported|not enabled|not whitelisted|not allowed|disabled)|not available on the .{0,20}?tier|unsupported method/i,
    class: 'unsupported',
  },
  { codes: [-32004, -32604], class: 'unsupported' },
  // A plan without old blocks still serves the new ones, so it is not at fault as a whole.
  { message: /archive/i, class: 'elsewhere' },
  {
    message:
      /must be authenticated|invalid (access|api|project) ?(key|id|token)|unauthori[sz]ed|forbidden|project id|app is inactive|not on whitelist|api key .{0,20}?not/i,
    class: 'refused',
  },
  { message: TOO_WIDE, class: 'elsewhere' },
  { codes: [429, -32005, -32007, -32029, -32097, 402], class: 'throttled' },
  {
    message:
      /rate.?limit|too many requests|capacity (limit )?exceeded|compute units per second|quota|daily request|monthly|credits|request limit/i,
    class: 'throttled',
  },
  {
    message:
      /header .{0,20}?not found|missing trie node|unknown block|block .{0,40}?not (found|available)|state .{0,40}?(not|un)available|no state available|historical state|prun(ed|ing)|not yet available|not processed yet|unfinalized|could not find block|block is out of range|ancient|indexing is in progress|pool is full|still syncing/i,
    class: 'elsewhere',
  },
  { codes: [-32603, -32002], class: 'internal' },
  { codes: [-32001], class: 'elsewhere' },
  {
    message:
      /timed? ?out|deadline|overloaded|try again|temporar|unavailable|server (error|busy)|handler crashed|no backend/i,
    class: 'internal',
  },
]

/** The node's own codes (agave, rpc-client-api custom_error) tell most; vendors add some. */
const SOLANA_RULES: readonly Rule[] = [
  { codes: [-32601], class: 'unsupported' },
  // First of all: what is wrong with params is told in their own words, whatever these say.
  { codes: [-32602, -32700], class: 'caller' },
  { codes: [-32002, -32003, -32006, -32013, -32015, -32017, -32018], class: 'caller' },
  // Before all words: whatever it says, a send may have been done before it broke.
  { codes: [-32603], class: 'internal' },
  // A faucet that has run dry says nothing of its node, and another's may not have.
  { message: /airdrop limit|faucet has run dry/i, class: 'elsewhere' },
  { codes: [429, -32429], class: 'throttled' },
  // Before the codes: some vendors say so under -32005 or -32007, which are no node's words then.
  {
    message: /rate.?limit|too many requests|request limit|quota|credits|max usage/i,
    class: 'throttled',
  },
  { codes: [401, 403], class: 'refused' },
  {
    codes: [
      -32001, -32004, -32005, -32007, -32008, -32010, -32011, -32012, -32014, -32016, -32019,
      -32020, -32021,
      // "Skipped, or missing in long-term storage": only the second can be cured, but it can.
      -32009,
      // Public nodes say so of programs that are too big for them, not of all calls.
      410,
    ],
    class: 'elsewhere',
  },
  // Mostly scans, which take too long for a node that does well otherwise.
  {
    message:
      /timed? ?out|deadline exceeded|overloaded|temporarily unavailable|server (error|busy)|bad gateway|no backend/i,
    class: 'unclear',
  },
]

/**
 * The class of an error that answers a call of our own, whose params are known to be good: so
 * the node's words can be taken at their value.
 */
export function classifyError(kind: NetworkKind, code: number, message: string): ErrorClass {
  const says = (pattern: RegExp) => pattern.test(message)
  return firstMatch(kind, code, says).class
}

/**
 * The class of an error that answers a caller's call. All that the caller sent is taken out of
 * the message first, and words that the caller used too are no evidence. A revert's reason
 * or a tracer's exception can still say anything: a verdict `byWords` is good for asking
 * another node, and for nothing that outlasts the call.
 */
export function judgeError(
  kind: NetworkKind,
  { code, message }: { code: number; message: string },
  sent: SentCall,
): ErrorVerdict {
  let words: string | null = null
  let echoes: string | null = null
  const says = (pattern: RegExp, verdict: ErrorClass) => {
    words ??= withoutEcho(message, sent)
    const said = pattern.exec(words)?.[0]
    if (said === undefined || verdict === 'caller') return said !== undefined
    echoes ??= allSent(sent)
    return !echoes.includes(said)
  }
  if (kind === 'solana' || !CALLERS_CODES.includes(code)) return firstMatch(kind, code, says)
  // To ask elsewhere says nothing of this node, so that may hang on words even here.
  return { class: says(TOO_WIDE, 'elsewhere') ? 'elsewhere' : 'caller', byWords: true }
}

function firstMatch(
  kind: NetworkKind,
  code: number,
  says: (pattern: RegExp, verdict: ErrorClass) => boolean,
): ErrorVerdict {
  for (const rule of kind === 'evm' ? EVM_RULES : SOLANA_RULES) {
    if (rule.codes?.includes(code)) return { class: rule.class, byWords: false }
    if (rule.message && says(rule.message, rule.class)) return { class: rule.class, byWords: true }
  }
  return { class: 'caller', byWords: true }
}

/** A repeated send that its node had already: the first attempt had landed after all. */
export function saysAlreadyKnown(message: string): boolean {
  return /already ?known|already imported|\bknown transaction|already in mempool|already exists/i.test(
    message,
  )
}

/** The sender's nonce is used up, perhaps by the very transaction that was sent. */
export function saysNonceTooLow(message: string): boolean {
  return /nonce too low|old ?nonce|nonce .{0,30}?(already|lower)/i.test(message)
}

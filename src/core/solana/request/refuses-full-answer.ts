/**
 * Words in which nodes and vendors refuse an answer that is too big for them, not the question
 * itself. Asked for less, or somewhere else, the same may well be answered.
 */
const TOO_BIG =
  /too many accounts|too large|too big|response size|exceed(s|ed) .{0,40}(limit|size)|scan aborted|deprioriti[sz]ed|timed? ?out|without filters is not supported|getProgramAccountsV2/i

/** Excluded from the indexes, a scan that was aborted, and what HTTP says of too much. */
const CODES: readonly number[] = [-32010, -32012, 410, 413]

/** True when a node does not give all at once, but might give it in parts. */
export function refusesFullAnswer(code: number, message: string): boolean {
  return CODES.includes(code) || TOO_BIG.test(message)
}

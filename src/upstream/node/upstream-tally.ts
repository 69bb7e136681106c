import { addTime, type CallTimes, newTimes } from '../../core/rpc/call-times.ts'

/** How requests to one upstream went since they were last written down. */
export type UpstreamTally = { calls: number; errors: number; times: CallTimes }

export function newTally(): UpstreamTally {
  return { calls: 0, errors: 0, times: newTimes() }
}

/** The node answered, be it with an error that is the caller's own. */
export function tallyAnswered(tally: UpstreamTally, tookMs: number): void {
  tally.calls++
  addTime(tally.times, tookMs)
}

export function tallyFailed(tally: UpstreamTally): void {
  tally.calls++
  tally.errors++
}

/** There is no usable answer, and the call itself may be the reason. */
export function tallyUnclear(tally: UpstreamTally): void {
  tally.calls++
}

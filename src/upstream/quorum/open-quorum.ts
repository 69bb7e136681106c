import { openSemaphore } from '../../core/async/semaphore.ts'
import { contextSlot } from '../../core/rpc/quorum/answer-meaning.ts'
import { isFairDissent } from '../../core/rpc/quorum/fair-dissent.ts'
import { pinTags } from '../../core/rpc/quorum/pin-tags.ts'
import { quorumRule } from '../../core/rpc/quorum/quorum-rule.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { noteDisagreement } from '../node/upstream.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { askQuorum, type Vote } from './ask-quorum.ts'

/** Puts a read to the vote of several upstreams; null for a call that one of them may answer. */
export type Quorum = (call: PoolCall) => Promise<PoolAnswer> | null

/** Long answers that are held for comparison at once. */
const LARGE_MAX = 16
const LARGE_WAITING_MAX = 256

const LOG_EVERY_MS = 60_000

/**
 * The votes of one network. A node that answers otherwise than those that agree is named in the
 * report, the log and the metrics, and is used like any other: what a caller asks decides
 * nothing about an upstream.
 */
export function openQuorum(telemetry: Telemetry, pool: UpstreamPool): Quorum | null {
  const { network, selection, clock } = pool
  const { id, kind } = network
  if (network.quorum === undefined) return null
  const large = openSemaphore(LARGE_MAX, LARGE_WAITING_MAX)
  const mayLogAtMs = new Map<string, number>()

  const accuse = ({ upstream }: Vote, method: string) => {
    const nowMs = clock.monotonicMs()
    const { name } = upstream.spec
    noteDisagreement(upstream, method, nowMs)
    telemetry.count('headgate_upstream_disagreements_total', { network: id, upstream: name })
    if (nowMs < (mayLogAtMs.get(name) ?? 0)) return
    mayLogAtMs.set(name, nowMs + LOG_EVERY_MS)
    const { count } = upstream.disagreements
    telemetry.log('warn', 'upstream_disagreed', { network: id, upstream: name, method, count })
  }

  return (given) => {
    const rule = quorumRule(network, given.of, given.params)
    if (!rule) return null
    const head = kind === 'evm' ? selection.head : null
    const { height, ...params } = pinTags(given.of, given, head)
    const call = { ...given, ...params, heightMin: height ?? given.heightMin }
    const dissented = (vote: Vote, agreed: readonly Vote[]) => {
      const { reply, upstream, standsAtHead } = vote
      if (reply.kind !== 'result') return
      const isFair = isFairDissent({
        kind,
        method: call.of,
        isNull: reply.value === null,
        height: call.heightMin,
        finalized: head?.finalized ?? null,
        standsAtHead,
        nodeHeight: upstream.head?.number ?? null,
        slot: kind === 'solana' ? contextSlot(reply.text) : null,
        agreedSlots: agreed.map(({ reply: theirs }) => contextSlot(theirs.text)),
      })
      if (isFair) accuse(vote, call.of.label)
    }
    return askQuorum(pool, { rule, call, large, dissented })
  }
}

import type { NetworkKind } from '../../core/network.ts'
import type { NodeError, NodeResult } from '../../core/rpc/node-reply.ts'
import { answerMeaning, errorMeaning } from '../../core/rpc/quorum/answer-meaning.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolAnswer } from '../pool/routed-request.ts'

/** The answer of one upstream to a call that is put to the vote. */
export type Vote = {
  upstream: Upstream
  answer: PoolAnswer
  reply: NodeResult | NodeError
  /** The node stood at the agreed head before and after the call. */
  standsAtHead: boolean
  /** Worked out when two answers are not of one text. */
  meaning: string | null
}

export function voteOf(given: Omit<Vote, 'meaning'>): Vote {
  return { ...given, meaning: null }
}

/** Two nodes of one make spell an answer alike, so that most need no closer look. */
export function areAlike(kind: NetworkKind, one: Vote, other: Vote): boolean {
  if (one.reply.kind !== other.reply.kind) return false
  return one.reply.text === other.reply.text || meaningOf(kind, one) === meaningOf(kind, other)
}

function meaningOf(kind: NetworkKind, vote: Vote): string {
  const { reply } = vote
  vote.meaning ??=
    reply.kind === 'error' ? errorMeaning(reply.text) : answerMeaning(kind, reply.text)
  return vote.meaning
}

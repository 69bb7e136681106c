import type { Semaphore } from '../../../core/async/semaphore.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'

/** Turns the notifications of one node after the other into those of one subscription. */
export type Feed = {
  /** The result of a notification. False: no node would say so. */
  heard(resultText: string): boolean
  /** The connection ended: something may be missing from here on. */
  interrupted(): void
  /**
   * Everything after this slot is told again. Reads what was missed before it; a subscription
   * for which that can't be done is lost.
   */
  resumed(slot: number): void
}

export type FeedSource = {
  clock: Clock
  service: NetworkService
  /** Bounds the reads of what was missed that go on at once. */
  reads: Semaphore
}

/** A node can be so far ahead of all others, as after a pause of ours. */
const SLOTS_AHEAD_MAX = 10_000

/** Heads are polled, so that an honest node may be so far ahead of the last one. */
const SLOTS_UNPOLLED = 64

export const LOST_WHILE_RECONNECTING =
  'The node was lost, and what it would have told meanwhile cannot be read again. Connect anew.'

/** The slot that the network's nodes have come to; 0 while none has told. */
export function headSlot({ pool }: NetworkService): number {
  return pool.selection.head?.number ?? 0
}

export function isPlausible(service: NetworkService, slot: number): boolean {
  const head = headSlot(service)
  return head === 0 || slot <= head + SLOTS_AHEAD_MAX
}

/** A slot that a node made up would keep the true ones from ever being told. */
export function believable(service: NetworkService, slot: number): number {
  const head = headSlot(service)
  return head === 0 ? slot : Math.min(slot, head + SLOTS_UNPOLLED)
}

export function inSlot(slot: number, valueText: string): string {
  return `{"context":{"slot":${slot}},"value":${valueText}}`
}

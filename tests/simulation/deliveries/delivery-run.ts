import type { EgressOutcome } from '../../../src/ports/egress.ts'
import type { DueResult } from '../../../src/tables/chain/chain-events.ts'
import type { Chance } from '../../support/basics/seeded-chance.ts'
import type { Life } from '../process-life.ts'
import { wallMs } from '../process-ports.ts'
import type { Trace } from '../trace.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import type { Book, BookedRow } from './book.ts'
import type { DeliveryPlan } from './plan-deliveries.ts'
import type { Patience, Receivers } from './receivers.ts'

/** One POST, as sender and destination saw it. */
export type Post = {
  life: Life
  deliveryId: string
  webhookId: string
  kind: BookedRow['kind']
  /** The delivery as the sender may have read it; null if it never was so. */
  sentAs: BookedRow | null
  /** The sender may have read it before it was sent anew, too: then this one does not count. */
  mayBeEarlier: boolean
  /** The time of ownership in which it left. */
  epoch: string
  url: string
  host: string
  body: string
  startedMs: number
  endedMs: number | null
  /** By the sender's clock, which somebody may have set meanwhile. */
  startedWallMs: number
  endedWallMs: number
  seen: EgressOutcome | null
  patience: Patience | null
  /** The destination has taken it in. */
  isAccepted: boolean
  /** Its outcome is committed. */
  isWritten: boolean
}

/** A process that has a courier, or had one. */
export type CourierLife = {
  /** The name that its lease is under. */
  courier: string
  /** How its clock differs from the others' time. */
  skewMs: number
  /** How long it has slept in all. */
  sleptMs: number
  /** How much of it its machine has slept too, and the clock that nobody sets. */
  suspendedMs: number
}

/** A run while it lasts. */
export type DeliveryRun = {
  plan: DeliveryPlan
  clock: VirtualClock
  trace: Trace
  book: Book
  receivers: Receivers
  posts: Post[]
  /** By the name of the life. */
  couriers: Map<string, CourierLife>
  /** When each courier last read a webhook, by the names of both. */
  heard: Map<string, number>
  /** What the event or the replay that is being recorded gives, by who records it. */
  recording: Map<string, readonly DueResult[]>
  /** When the couriers were ended with the run. */
  overMs: number
  /** What was promised and did not hold. */
  complaints: string[]
  /** Gives each part of the run its own chance, so that they do not disturb each other. */
  chance(part: number): Chance
}

/** The processes that record events and that serve the customers; they do not crash. */
export const CHAIN = 'chain'
export const OFFICE = 'office'

/** Couriers look for changes every second; a store in trouble may make it much longer. */
const LOOK_MS = 1_050
const TROUBLED_LOOK_MS = 30_000

/** A replay of what waits in memory is known after so long, if nobody tells of it. */
const THOROUGH_MS = 11_000

const COMPLAINTS_MAX = 20

export function complain(run: DeliveryRun, complaint: string): void {
  if (run.complaints.length >= COMPLAINTS_MAX) return
  run.complaints.push(complaint)
  run.trace.note('judge', complaint)
}

export function heardKey({ name }: Life, webhookId: string): string {
  return `${name} ${webhookId}`
}

/** The time of day as one process has it. */
export function wallOf({ clock, plan, couriers }: DeliveryRun, name: string): number {
  return Math.floor(wallMs(clock) + plan.wallOffsetMs + (couriers.get(name)?.skewMs ?? 0))
}

/** A process may have looked at its clock before somebody set it. */
export function latestWall(run: DeliveryRun, life: Life): number {
  const hasJumped = run.plan.couriers.some(({ jump }) => jump !== null)
  return wallOf(run, life.name) + (hasJumped ? run.plan.skewSpreadMs : 0)
}

/** How old what a courier knows of a webhook may be. */
export function staleMs({ plan, couriers }: DeliveryRun, { name }: Life): number {
  const sleptMs = couriers.get(name)?.sleptMs ?? 0
  if (isPrompt(plan)) return LOOK_MS + sleptMs
  return TROUBLED_LOOK_MS + 4 * plan.store.lateMsMax + plan.answers.lateMsMax + sleptMs
}

/** How long a courier may send a delivery as it was before somebody had it sent anew. */
export function untoldMs(run: DeliveryRun, life: Life): number {
  const isTold = isPrompt(run.plan) && run.plan.reminders.lostRate === 0
  return staleMs(run, life) + (isTold ? 0 : THOROUGH_MS)
}

/** Nothing that is asked of the store takes any time. */
export function isPrompt({ store, answers }: DeliveryPlan): boolean {
  return (
    store.lateRate === 0 &&
    store.failRate === 0 &&
    store.lostAnswerRate === 0 &&
    answers.lateRate === 0
  )
}

/** Clocks agree well enough for a lease to keep all others away. */
export function isExact({ skewSpreadMs, settings }: DeliveryPlan): boolean {
  return skewSpreadMs < settings.timeoutMs
}

/** Whether it is still on its way, as far as anybody but its sender can tell. */
export function isUnderWay({ clock, plan }: DeliveryRun, post: Post): boolean {
  if (post.endedMs !== null) return false
  return post.life.alive || clock.elapsedMs() < post.startedMs + plan.settings.timeoutMs
}

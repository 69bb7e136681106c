import {
  deductFromBucket,
  fullBucket,
  missingCentiCu,
  type TokenBucket,
} from '../core/billing/token-bucket.ts'
import type { World } from '../ports/world.ts'
import {
  type ExchangePace,
  type FrameCarrier,
  type LimitExchange,
  openTelling,
} from './limit-exchange.ts'
import { addTaken, readTaken, type Taken, type TakenByKey, writeTaken } from './limit-frames.ts'

/** The middle of an exchange between processes of one machine. */
export type LimitHub = {
  /** Adds a process, which is told at once what is missing in buckets that are not full. */
  join(send: (frame: string) => void): HubMember
  stop(): void
}

type HubMember = {
  receive(frame: string): void
  leave(): void
}

type Member = { own: TakenByKey; send(frame: string): void }

type Level = { bucket: TokenBucket; cuPerSecond: number }

/** Buckets that are kept for processes to come; full ones are forgotten first. */
const LEVELS_MAX = 100_000

/**
 * Adds up what all processes took and tells each what the others did: two frames a process and
 * tick, however many processes there are. `outside` is the exchange with other machines.
 */
export function openLimitHub(
  { clock, telemetry }: World,
  outside: LimitExchange | null,
  pace: ExchangePace,
): LimitHub {
  const members = new Set<Member>()
  const levels = new Map<string, Level>()
  let total: TakenByKey = new Map()

  const telling = openTelling(clock, pace, () => {
    const told = total
    total = new Map()
    for (const member of members) {
      const others = withoutOwn(told, member.own)
      member.own = new Map()
      for (const frame of writeTaken(others)) member.send(frame)
    }
  })

  const note = (key: string, taken: Taken) => {
    const { throughputCentiCu, billedCentiCu, cuPerSecond } = taken
    noteLevel(levels, key, taken, clock.nowMs())
    telling.due(addTaken(total, key, throughputCentiCu, billedCentiCu, cuPerSecond))
  }
  const unsubscribe = outside?.subscribe(note)

  return {
    join(send) {
      const member: Member = { own: new Map(), send }
      // It will be told the rest of this tick with the others, and so must not be told it now.
      const missing = withoutOwn(missingOf(levels, clock.nowMs()), total)
      for (const frame of writeTaken(missing)) send(frame)
      members.add(member)
      return {
        receive(frame) {
          const taken = readTaken(frame)
          if (!taken) return telemetry.count('headgate_limit_frames_ignored_total', {})
          for (const [key, one] of taken) {
            const { throughputCentiCu, billedCentiCu, cuPerSecond } = one
            addTaken(member.own, key, throughputCentiCu, billedCentiCu, cuPerSecond)
            outside?.took(key, throughputCentiCu, billedCentiCu, cuPerSecond)
            note(key, one)
          }
        },
        leave: () => void members.delete(member),
      }
    },
    stop() {
      telling.stop()
      unsubscribe?.()
    },
  }
}

export function joinHub(hub: LimitHub): FrameCarrier {
  const listeners = new Set<(frame: string) => void>()
  const member = hub.join((frame) => {
    for (const hear of listeners) hear(frame)
  })
  return {
    send: member.receive,
    subscribe(hear) {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
  }
}

function withoutOwn(told: TakenByKey, own: TakenByKey): TakenByKey {
  if (own.size === 0) return told
  const others: TakenByKey = new Map()
  for (const [key, taken] of told) {
    const mine = own.get(key)
    const throughputCentiCu = taken.throughputCentiCu - (mine?.throughputCentiCu ?? 0)
    const billedCentiCu = taken.billedCentiCu - (mine?.billedCentiCu ?? 0)
    others.set(key, { throughputCentiCu, billedCentiCu, cuPerSecond: taken.cuPerSecond })
  }
  return others
}

function noteLevel(
  levels: Map<string, Level>,
  key: string,
  { throughputCentiCu, cuPerSecond }: Taken,
  nowMs: number,
): void {
  if (cuPerSecond === null) return
  const level = levels.get(key) ?? { bucket: fullBucket(cuPerSecond, nowMs), cuPerSecond }
  level.cuPerSecond = cuPerSecond
  deductFromBucket(level.bucket, cuPerSecond, throughputCentiCu, nowMs)
  levels.set(key, level)
  if (levels.size > LEVELS_MAX) forgetFull(levels, nowMs)
}

function missingOf(levels: Map<string, Level>, nowMs: number): TakenByKey {
  forgetFull(levels, nowMs)
  const missing: TakenByKey = new Map()
  for (const [key, { bucket, cuPerSecond }] of levels) {
    addTaken(missing, key, missingCentiCu(bucket, cuPerSecond, nowMs), 0, cuPerSecond)
  }
  return missing
}

function forgetFull(levels: Map<string, Level>, nowMs: number): void {
  for (const [key, { bucket, cuPerSecond }] of levels) {
    if (missingCentiCu(bucket, cuPerSecond, nowMs) === 0) levels.delete(key)
  }
  // Memory has a limit, and a process that comes now begins with full buckets.
  if (levels.size > LEVELS_MAX) levels.clear()
}

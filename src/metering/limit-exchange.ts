import {
  burstCentiCu,
  deductFromBucket,
  fullBucket,
  missingCentiCu,
  type TokenBucket,
} from '../core/billing/token-bucket.ts'
import type { Clock } from '../ports/clock.ts'
import type { Signals } from '../ports/signals.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { addTaken, readTaken, type Taken, type TakenByKey, writeTaken } from './limit-frames.ts'

export type LimitExchange = ReturnType<typeof openLimitExchange>

export type ReceiveTaken = (key: string, taken: Taken) => void

export type ExchangePace = {
  /** The time after which is reported what was taken. */
  periodMs: number
  /** Reported at once when it is this share of a burst: a flood must not outrun the reports. */
  urgentShare: number
  /** But never sooner after the last time than this. */
  gapMs: number
}

/** Between machines, where each report is a message to all of them. */
export const PACE_BETWEEN_MACHINES: ExchangePace = { periodMs: 50, urgentShare: 1 / 64, gapMs: 10 }

/**
 * Between processes of one machine, where a message costs next to nothing. Shares add up over all
 * of them: together they are never further ahead of the reports than a small part of a burst.
 */
export function paceBetweenWorkers(workers: number): ExchangePace {
  return { periodMs: 20, urgentShare: 1 / (32 * workers), gapMs: 1 }
}

const TOPIC = 'limits'

type World = { clock: Clock; signals: Signals; telemetry: Pick<Telemetry, 'count'> }

type Options = {
  /** Signals reach their sender too, so each frame names the process it is from. */
  sender: string
  pace: ExchangePace
  /** Frames that report what buckets owed when this process started. */
  debts?: readonly string[]
}

/**
 * Reports to other processes what this one takes of limits that all of them share, and receives
 * what they take. No process asks before a call: each takes from its own copy of a bucket, and
 * subtracts what the others took a moment later, so that a bucket may owe something.
 */
export function openLimitExchange(
  { clock, signals, telemetry }: World,
  { sender, pace, debts = [] }: Options,
) {
  const listeners = new Set<ReceiveTaken>()
  const levels = openLevels(clock)
  const prefix = `${sender} `
  let unreported: TakenByKey = new Map()
  const reports = openReports(clock, pace, () => {
    const taken = unreported
    unreported = new Map()
    levels.note(taken)
    for (const frame of writeTaken(taken)) void signals.publish(TOPIC, prefix + frame)
  })

  const receive = (frame: string) => {
    const taken = readTaken(frame)
    if (!taken) return telemetry.count('headgate_limit_frames_ignored_total', {})
    levels.note(taken)
    for (const [key, one] of taken) for (const listener of listeners) listener(key, one)
  }
  for (const frame of debts) receive(frame)
  const unsubscribe = signals.subscribe(TOPIC, (text) => {
    if (!text.startsWith(prefix)) receive(text.slice(text.indexOf(' ') + 1))
  })

  return {
    /** Hot path: adds to what is reported next. */
    took(key: string, throughputCentiCu: number, billedCentiCu: number, rate: number | null): void {
      reports.due(addTaken(unreported, key, throughputCentiCu, billedCentiCu, rate))
    },
    /** Receives what buckets owe so far, then what others take. */
    subscribe(listener: ReceiveTaken): () => void {
      for (const [key, owed] of levels.missing()) listener(key, owed)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Frames that report what is missing in each bucket, for a process that starts now. */
    debts: () => writeTaken(levels.missing()),
    /** Reports the rest, and no more. */
    stop(): void {
      reports.stop()
      unsubscribe()
    },
  }
}

/** Decides when to report: soon after something was taken, at once when that was much. */
function openReports(
  clock: Clock,
  { periodMs, urgentShare, gapMs }: ExchangePace,
  report: () => void,
) {
  let cancel: (() => void) | null = null
  let isUrgent = false
  let reportedAtMs = Number.NEGATIVE_INFINITY

  const now = () => {
    cancel?.()
    cancel = null
    isUrgent = false
    reportedAtMs = clock.monotonicMs()
    report()
  }

  return {
    due({ throughputCentiCu, cuPerSecond }: Taken): void {
      if (isUrgent) return
      if (cuPerSecond !== null && throughputCentiCu >= burstCentiCu(cuPerSecond) * urgentShare) {
        isUrgent = true
        cancel?.()
        cancel = clock.after(Math.max(0, reportedAtMs + gapMs - clock.monotonicMs()), now)
      } else cancel ??= clock.after(periodMs, now)
    },
    stop(): void {
      if (cancel) now()
    },
  }
}

type Level = { bucket: TokenBucket; cuPerSecond: number }

/** Buckets that are kept for processes to come; full ones are forgotten first. */
const LEVELS_MAX = 100_000

/** The level of each bucket by what all processes took. */
function openLevels(clock: Clock) {
  const levels = new Map<string, Level>()

  const missing = (): TakenByKey => {
    const nowMs = clock.nowMs()
    const all: TakenByKey = new Map()
    for (const [key, { bucket, cuPerSecond }] of levels) {
      const owed = missingCentiCu(bucket, cuPerSecond, nowMs)
      if (owed === 0) levels.delete(key)
      else addTaken(all, key, owed, 0, cuPerSecond)
    }
    return all
  }

  return {
    missing,
    note(taken: TakenByKey): void {
      const nowMs = clock.nowMs()
      for (const [key, { throughputCentiCu, cuPerSecond }] of taken) {
        if (cuPerSecond === null) continue
        const level = levels.get(key) ?? { bucket: fullBucket(cuPerSecond, nowMs), cuPerSecond }
        level.cuPerSecond = cuPerSecond
        deductFromBucket(level.bucket, cuPerSecond, throughputCentiCu, nowMs)
        levels.set(key, level)
      }
      if (levels.size > LEVELS_MAX) missing()
      // Memory has a limit, and a process that starts now begins with full buckets.
      if (levels.size > LEVELS_MAX) levels.clear()
    },
  }
}

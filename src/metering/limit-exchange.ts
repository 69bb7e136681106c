import { burstCentiCu } from '../core/billing/token-bucket.ts'
import type { Clock } from '../ports/clock.ts'
import type { Signals } from '../ports/signals.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { addTaken, readTaken, type Taken, type TakenByKey, writeTaken } from './limit-frames.ts'

/**
 * Tells other processes what this one takes of limits that all of them share, and hears what they
 * take. Nobody asks before a call: each takes from its own copy of a bucket, and subtracts what
 * the others took a moment later, so that a bucket may owe something.
 */
export type LimitExchange = {
  /** Hot path: adds to what is told next. */
  took(key: string, throughputCentiCu: number, billedCentiCu: number, rate: number | null): void
  subscribe(hear: HearTaken): () => void
  /** Tells the rest, and no more. */
  stop(): void
}

export type HearTaken = (key: string, taken: Taken) => void

export type FrameCarrier = {
  send(frame: string): void
  subscribe(hear: (frame: string) => void): () => void
}

export type ExchangePace = {
  /** The time after which is told what was taken. */
  periodMs: number
  /** Told at once when it is this share of a burst, so that a flood cannot outrun the telling. */
  urgentShare: number
  /** But never sooner after the last time than this. */
  gapMs: number
}

/** Between machines, where each telling is a message to all of them. */
export const PACE_BETWEEN_MACHINES: ExchangePace = { periodMs: 50, urgentShare: 1 / 64, gapMs: 10 }

/**
 * Between processes of one machine, where a message costs next to nothing. Shares add up over all
 * of them: together they are never further ahead of the telling than a small part of a burst.
 */
export function paceBetweenWorkers(workers: number): ExchangePace {
  return { periodMs: 20, urgentShare: 1 / (32 * workers), gapMs: 1 }
}

const TOPIC = 'limits'

export function openLimitExchange(
  clock: Clock,
  telemetry: Pick<Telemetry, 'count'>,
  carrier: FrameCarrier,
  pace: ExchangePace,
): LimitExchange {
  const listeners = new Set<HearTaken>()
  let untold: TakenByKey = new Map()
  const telling = openTelling(clock, pace, () => {
    const told = untold
    untold = new Map()
    for (const frame of writeTaken(told)) carrier.send(frame)
  })

  const unsubscribe = carrier.subscribe((frame) => {
    const heard = readTaken(frame)
    if (!heard) return telemetry.count('headgate_limit_frames_ignored_total', {})
    for (const [key, taken] of heard) for (const hear of listeners) hear(key, taken)
  })

  return {
    took(key, throughputCentiCu, billedCentiCu, rate) {
      telling.due(addTaken(untold, key, throughputCentiCu, billedCentiCu, rate))
    },
    subscribe(hear) {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
    stop() {
      telling.stop()
      unsubscribe()
    },
  }
}

/** Signals reach their sender too, so each frame names it. */
export function frameSignals(signals: Signals, sender: string): FrameCarrier {
  const prefix = `${sender} `
  return {
    send: (frame) => signals.publish(TOPIC, prefix + frame),
    subscribe: (hear) =>
      signals.subscribe(TOPIC, (text) => {
        if (!text.startsWith(prefix)) hear(text.slice(text.indexOf(' ') + 1))
      }),
  }
}

/** Decides when to tell: soon after something was taken, at once when that was much. */
export function openTelling(
  clock: Clock,
  { periodMs, urgentShare, gapMs }: ExchangePace,
  tell: () => void,
) {
  let cancel: (() => void) | null = null
  let isUrgent = false
  let toldAtMs = Number.NEGATIVE_INFINITY

  const now = () => {
    cancel?.()
    cancel = null
    isUrgent = false
    toldAtMs = clock.monotonicMs()
    tell()
  }

  return {
    due({ throughputCentiCu, cuPerSecond }: Taken): void {
      if (isUrgent) return
      if (cuPerSecond !== null && throughputCentiCu >= burstCentiCu(cuPerSecond) * urgentShare) {
        isUrgent = true
        cancel?.()
        cancel = clock.after(Math.max(0, toldAtMs + gapMs - clock.monotonicMs()), now)
      } else cancel ??= clock.after(periodMs, now)
    },
    stop(): void {
      if (cancel) now()
    },
  }
}

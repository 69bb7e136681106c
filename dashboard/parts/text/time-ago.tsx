import { useEffect, useState } from 'preact/hooks'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })
const HOUR_AND_MINUTE = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const HERE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const watchers = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined

export function TimeAgo({ at }: { at: number }) {
  return <Time at={at} text={agoText(useNow() - at)} />
}

/** When something is tried again, which a moment that has passed says too. */
export function NextTry({ at }: { at: number }) {
  const leftMs = at - useNow()
  return <Time at={at} text={leftMs < SECOND ? 'due now' : `next in ${lengthText(leftMs)}`} />
}

export function Age({ at }: { at: number }) {
  return <Time at={at} text={ageText(useNow() - at)} />
}

export function ClockTime({ at }: { at: number }) {
  return <Time at={at} text={CLOCK.format(at)} />
}

/** A moment in the reader's zone, with UTC in the title. */
export function Moment({ at }: { at: number }) {
  return <Time at={at} text={HERE.format(at)} />
}

export function Time({ at, text }: { at: number; text: string }) {
  const utc = new Date(at).toISOString()
  const title = `${HERE.format(at)}\n${utc.replace('T', ' ').slice(0, 19)} UTC`
  return (
    <time dateTime={utc} title={title}>
      {text}
    </time>
  )
}

/** The present, anew each second. One timer serves all, and rests while nobody looks. */
export function useNow(): number {
  const [nowMs, show] = useState(Date.now)
  useEffect(() => {
    const tick = () => show(Date.now())
    watchers.add(tick)
    ticking ??= setInterval(tickAll, SECOND)
    return () => {
      watchers.delete(tick)
      if (watchers.size > 0) return
      clearInterval(ticking)
      ticking = undefined
    }
  }, [])
  return nowMs
}

function tickAll(): void {
  if (document.hidden) return
  for (const tick of watchers) tick()
}

/** 07:05, in the reader's zone. */
export function clockText(at: number): string {
  return HOUR_AND_MINUTE.format(at)
}

export function agoText(ms: number): string {
  if (ms < -SECOND) return `in ${lengthText(-ms)}`
  if (ms < SECOND) return 'just now'
  return `${lengthText(ms)} ago`
}

/** To the second for ten minutes. */
export function ageText(ms: number): string {
  if (ms < MINUTE || ms >= 10 * MINUTE) return lengthText(ms)
  return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / SECOND)} s`
}

/** A length of time in its largest unit. */
export function lengthText(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.round(ms / SECOND))} s`
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`
  return `${Math.round(ms / DAY)} d`
}

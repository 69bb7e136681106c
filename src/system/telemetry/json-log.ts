import type { Clock } from '../../ports/clock.ts'
import type { LogFields, LogLevel } from '../../ports/telemetry.ts'

type Needs = {
  clock: Clock
  write: (text: string) => void | Promise<void>
  fixed: LogFields
  dropped: (lines: number) => void
}

/**
 * One write per line would cost a system call each; this many characters go out together. With
 * more, the first have left the processor's caches by then, which costs more than a call.
 */
const PIECE_CHARS = 16_384

/** A quiet service still shows its lines soon. */
const PIECE_WAIT_MS = 100

/** When the reader of the log stands still, the service goes on and the log has a hole. */
const BACKLOG_CHARS_MAX = 8 * 1_048_576

/** A field longer than this is a mistake (a whole body, a stack of stacks): its start is kept. */
const FIELD_CHARS_MAX = 8_192

/** Text of these characters stands in JSON as it is. */
const PLAIN = /^[ !#-[\]-~]*$/

const OWN_FIELDS = new Set(['time', 'level', 'event'])

export function jsonLog(needs: Needs) {
  const { clock } = needs
  const fixed = fieldsText(needs.fixed)
  let pending = ''
  let pendingLines = 0
  let writing: Promise<void> | null = null
  let wakesUp = false
  let stampMs = Number.NaN
  let stamp = ''

  return { line, lineText, flush }

  function line(level: LogLevel, event: string, fields: LogFields): void {
    lineText(level, event, fieldsText(fields).slice(1))
  }

  function lineText(level: LogLevel, event: string, text: string): void {
    if (pending.length >= BACKLOG_CHARS_MAX) {
      needs.dropped(1)
      return
    }

    const nowMs = clock.nowMs()
    if (nowMs !== stampMs) {
      stampMs = nowMs
      stamp = `{"time":"${new Date(nowMs).toISOString()}","level":"`
    }
    pending += `${stamp}${level}","event":${textOf(event)}${fixed}${text === '' ? '' : ','}${text}}\n`
    pendingLines += 1

    writeNowOrSoon()
  }

  async function flush(): Promise<void> {
    // Lines logged meanwhile are not waited for without end: two rounds write everything that
    // was there when the flush began.
    for (let round = 0; round < 2; round++) {
      writeOut()
      await writing
    }
  }

  function writeNowOrSoon(): void {
    if (pending.length >= PIECE_CHARS) writeOut()
    if (pending === '' || wakesUp) return
    wakesUp = true
    clock.after(PIECE_WAIT_MS, () => {
      wakesUp = false
      writeOut()
    })
  }

  function writeOut(): void {
    if (writing !== null || pending === '') return
    const text = pending
    const lines = pendingLines
    pending = ''
    pendingLines = 0
    try {
      const written = needs.write(text)
      if (written === undefined) return
      writing = written
        .catch(() => needs.dropped(lines))
        .then(() => {
          writing = null
          writeNowOrSoon()
        })
    } catch {
      needs.dropped(lines)
    }
  }
}

function fieldsText(fields: LogFields): string {
  let text = ''
  for (const name in fields) {
    const key = OWN_FIELDS.has(name) ? `field_${name}` : name
    text += `,${textOf(key)}:${valueText(fields[name])}`
  }
  return text
}

function valueText(value: string | number | boolean | null | undefined): string {
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  return value === true ? 'true' : value === false ? 'false' : 'null'
}

function textOf(value: string): string {
  const kept = value.length > FIELD_CHARS_MAX ? `${value.slice(0, FIELD_CHARS_MAX)}…` : value
  return PLAIN.test(kept) ? `"${kept}"` : JSON.stringify(kept)
}

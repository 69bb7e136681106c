/** An event as it stands in the stream. */
export type RawEvent = { name: string; id: string; data: string }

/** Far more than any event has; a line without an end must not fill the memory. */
const PENDING_CHARS_MAX = 16 * 1024 * 1024

const LINE_END = /\r\n|\n|\r(?!$)/

/**
 * Server-sent events, as the standard of HTML has them: takes text in pieces however they were
 * cut, and answers the events that are whole.
 */
export function eventParser(): (piece: string) => RawEvent[] {
  let pending = ''
  let name = ''
  let id = ''
  let data: string[] = []

  return (piece) => {
    pending += piece
    const lines = pending.split(LINE_END)
    pending = lines.pop() ?? ''
    if (pending.length > PENDING_CHARS_MAX) throw new Error('An event of the stream has no end.')
    const events: RawEvent[] = []
    for (const line of lines) {
      if (line !== '') {
        take(line)
        continue
      }
      if (data.length > 0) events.push({ name: name || 'message', id, data: data.join('\n') })
      name = ''
      data = []
    }
    return events
  }

  function take(line: string): void {
    const colon = line.indexOf(':')
    // A comment, which only says that the stream is alive.
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') name = value
    else if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) id = value
  }
}

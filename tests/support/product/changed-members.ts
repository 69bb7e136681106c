/** A node's answer, which a test may change. */
export type Changeable = Record<string, unknown>

/** One member somewhere in an answer: its name, and how to change one digit of it. */
export type MemberChange = { path: string; change(): void; restore(): void }

/**
 * Every member of an object in turn, in lists and objects below it too, changed by one hex digit;
 * a flag is turned, and what is null becomes something. Lists also lose their last item.
 */
export function memberChanges(holder: Changeable, path = ''): MemberChange[] {
  return Object.entries(holder).flatMap(([name, value]) => {
    const at = Array.isArray(holder) ? `${path}[${name}]` : `${path}.${name}`
    const one = (changed: unknown): MemberChange => ({
      path: at,
      change() {
        holder[name] = changed
      },
      restore() {
        holder[name] = value
      },
    })
    if (typeof value === 'boolean') return [one(!value)]
    if (value === null) return [one(`0x${'12'.repeat(20)}`)]
    if (typeof value === 'string') return [one(otherDigit(value))]
    if (typeof value !== 'object') return []
    const below = memberChanges(value as Changeable, at)
    const shorter = Array.isArray(value) && value.length > 0 ? [one(value.slice(0, -1))] : []
    return [...below, ...shorter]
  })
}

/** Another digit in the middle; an empty text gets a byte. */
function otherDigit(text: string): string {
  if (text === '0x') return '0x01'
  const at = 2 + ((text.length - 2) >> 1)
  const digit = text[at] === '7' ? '8' : '7'
  return text.slice(0, at) + digit + text.slice(at + 1)
}

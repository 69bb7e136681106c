/** Parts of JSON that the runtime has and the compiler's library does not know yet. */
const runtimeJson = JSON as unknown as {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source: string }) => unknown,
  ): unknown
  rawJSON(text: string): { rawJSON: string }
}

/** A number of 64 bits as JSON.stringify has to write it: with all of its digits. */
export function exactNumber(value: bigint): object {
  return runtimeJson.rawJSON(`${value}`)
}

/**
 * Parses JSON; undefined for what is none. Numbers that a double cannot hold keep their digits,
 * as objects that JSON.stringify writes back: an id must come back as it was sent.
 */
export function parseExactly(text: string): unknown {
  try {
    return runtimeJson.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && !Number.isSafeInteger(value)
        ? runtimeJson.rawJSON(source)
        : value,
    )
  } catch {
    return undefined
  }
}

/** A whole number, zero or above, as parseExactly gives it; null for everything else. */
export function wholeNumber(value: unknown): bigint | null {
  if (Number.isSafeInteger(value)) return Number(value) < 0 ? null : BigInt(Number(value))
  const digits = (value as { rawJSON?: string } | null)?.rawJSON
  return typeof digits === 'string' && /^\d{1,20}$/.test(digits) ? BigInt(digits) : null
}

/** The message of a thrown value, for logs. Anything can be thrown, so nothing is assumed. */
export function errorText(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name
    return String(thrown)
  } catch {
    // An object without a prototype cannot be turned into text.
    return 'unknown'
  }
}

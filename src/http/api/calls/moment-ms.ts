/** Milliseconds as they stand, or a date: with its zone, or a day, which begins in UTC. */
export function momentMs(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Date.parse(text)
}

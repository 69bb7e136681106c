/** Longer names are not compared: the table of distances grows with the square of the length. */
const NAME_CHARS_MAX = 128

/** More slips than this and the guess would be noise. */
const SLIPS_MAX = 3

export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > NAME_CHARS_MAX) return undefined
  const slipsMax = Math.min(SLIPS_MAX, Math.max(1, Math.floor(name.length / 3)))
  const asked = name.toLowerCase()
  let best: string | undefined
  let fewest = slipsMax + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= fewest) continue
    const slips = editDistance(asked, candidate.toLowerCase())
    if (slips >= fewest) continue
    best = candidate
    fewest = slips
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}

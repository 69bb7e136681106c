/** The content codings we can produce, the preferred one first. */
const CODINGS = ['zstd', 'gzip'] as const

export type Coding = (typeof CODINGS)[number]

/** Longer than any client's header; the rest is ignored. */
const HEADER_CHARS_MAX = 1000

export function chooseCoding(acceptEncoding: string | null): Coding | null {
  if (acceptEncoding === null) return null
  const weights = weightsOf(acceptEncoding.slice(0, HEADER_CHARS_MAX))
  const others = weights.get('*') ?? 0
  let best: Coding | null = null
  // Every client understands uncompressed text, so a coding must be preferred at least as much.
  let bestWeight = weights.get('identity') ?? 0
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? others
    const isBetter = best === null ? weight > 0 && weight >= bestWeight : weight > bestWeight
    if (!isBetter) continue
    best = coding
    bestWeight = weight
  }
  return best
}

/** `gzip;q=0.5, *;q=0`: each coding with its weight, which is 1 where none is given. */
function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';')
    const coding = name.trim().toLowerCase()
    // An old name of the same thing.
    const key = coding === 'x-gzip' ? 'gzip' : coding
    if (key !== '') weights.set(key, weightOf(parameters))
  }
  return weights
}

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim().toLowerCase() !== 'q') continue
    return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value.trim()) ? Number(value) : 0
  }
  return 1
}

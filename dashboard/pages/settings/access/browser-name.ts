/** The first that fits wins: most browsers claim to be others too. */
const BROWSERS: readonly [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Headless)?Chrom(?:e|ium)\/(\d+)|\bCriOS\/(\d+)/],
  ['Safari', /\bVersion\/(\d+).*\bSafari\//],
]

const SYSTEMS: readonly [name: string, mark: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

const LENGTH_MAX = 60

/** `Chrome 147 on Linux`; a program that is no browser goes by the name that it gave itself. */
export function browserName(userAgent: string): string {
  const system = SYSTEMS.find(([, mark]) => mark.test(userAgent))?.[0]
  for (const [name, mark] of BROWSERS) {
    const found = mark.exec(userAgent)
    if (!found) continue
    const version = found[1] ?? found[2] ?? ''
    return `${name} ${version}${system ? ` on ${system}` : ''}`
  }
  return userAgent.slice(0, LENGTH_MAX) || 'A program without a name'
}

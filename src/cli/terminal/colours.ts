/** Beginning and end of each; bold and dim have their end in common. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
} as const

export type Colour = keyof typeof CODES

/** Paints text for a terminal that shows colours, and leaves it as it is elsewhere. */
export type Colours = Readonly<Record<Colour, (text: string) => string>>

export function coloursFor(isOn: boolean): Colours {
  const paints = Object.entries(CODES).map(([colour, [begin, end]]) => {
    const paint = (text: string) =>
      isOn && text !== '' ? `\x1b[${begin}m${text}\x1b[${end}m` : text
    return [colour, paint]
  })
  return Object.fromEntries(paints)
}

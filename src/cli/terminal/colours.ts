/** Paints text for a terminal that shows colours, and leaves it as it is elsewhere. */
export type Colours = {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  blue(text: string): string
  cyan(text: string): string
}

export type Colour = keyof Colours

/** Beginning and end of each; bold and dim have their end in common. */
const CODES: Readonly<Record<Colour, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
}

export function coloursFor(isOn: boolean): Colours {
  const paint = (colour: Colour) => {
    const [begin, end] = CODES[colour]
    return (text: string) => (isOn && text !== '' ? `\x1b[${begin}m${text}\x1b[${end}m` : text)
  }
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    blue: paint('blue'),
    cyan: paint('cyan'),
  }
}

/** An argument of a call: one word, or text, bytes or a list, which stand behind all words. */
export type Argument =
  | bigint
  | string
  | { text: string }
  | { bytes: string }
  | { list: readonly string[] }

/** The data of a call to a contract. Words are numbers, or hex text such as addresses. */
export function encodeCall(selector: string, ...args: readonly Argument[]): string {
  const heads: string[] = []
  let behind = ''
  for (const argument of args) {
    if (typeof argument !== 'object') {
      heads.push(word(argument))
      continue
    }
    heads.push(word(args.length * 32 + behind.length / 2))
    behind += dynamic(argument)
  }
  return selector + heads.join('') + behind
}

function dynamic(argument: { text: string } | { bytes: string } | { list: readonly string[] }) {
  if ('list' in argument) {
    return word(argument.list.length) + argument.list.map(word).join('')
  }
  const hex =
    'text' in argument ? Buffer.from(argument.text).toString('hex') : argument.bytes.slice(2)
  return word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')
}

export function word(value: number | bigint | string): string {
  return BigInt(value).toString(16).padStart(64, '0')
}

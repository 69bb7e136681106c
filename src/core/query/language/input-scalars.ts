import { type ConstValueNode, GraphQLError, Kind, print } from 'graphql'
import { isAddress, isHash32, quantityToNumber } from '../../hex.ts'

export type InputScalar = 'Address' | 'Bytes32' | 'Long'

const DECIMAL = /^[0-9]{1,16}$/

const EXPECTED = {
  Address: 'an address of 20 bytes, "0x" and 40 hex digits',
  Bytes32: 'a value of 32 bytes, "0x" and 64 hex digits',
  Long: 'a number from 0 to 2^53 - 1, or a decimal or 0x string of one',
} as const

/** Enough to recognise a value in an error message. */
const SHOWN_CHARACTERS_MAX = 80

/** A literal in our form; throws a GraphQLError, as graphql-js wants it, when it is none. */
export function readScalarLiteral(scalar: InputScalar, node: ConstValueNode): string | number {
  const text = node.kind === Kind.STRING ? node.value : null
  return readScalarValue(scalar, node.kind === Kind.INT ? Number(node.value) : text, node)
}

/** The value of a variable in our form; throws like `readScalarLiteral`. */
export function readScalarValue(
  scalar: InputScalar,
  value: unknown,
  node: ConstValueNode | null = null,
): string | number {
  const read = scalar === 'Long' ? readLong(value) : readHex(scalar, value)
  if (read !== null) return read
  const text = node ? print(node) : String(value)
  const shown =
    text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text
  throw new GraphQLError(`${shown} is not ${EXPECTED[scalar]}`, { nodes: node })
}

/** Checksums are not looked at: mixed case is only a spelling. */
function readHex(scalar: 'Address' | 'Bytes32', value: unknown): string | null {
  const isForm = scalar === 'Address' ? isAddress : isHash32
  return isForm(value) ? value.toLowerCase() : null
}

function readLong(value: unknown): number | null {
  if (typeof value === 'string' && value.startsWith('0x')) return quantityToNumber(value)
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null
}

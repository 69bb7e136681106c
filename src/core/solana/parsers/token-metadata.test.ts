import { describe, expect, test } from 'bun:test'
import {
  accountOf,
  joined,
  keyOf,
  u8,
  u32,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import {
  extensionBytes,
  helpsWith,
  metadataBytes,
  mintBytes,
} from '../../../../tests/support/solana/token-bytes.ts'
import { parseSplToken } from './spl-token.ts'

const UNPARSEABLE = { extension: 'unparseableExtension' }

/** Has no state, so a node names it wherever it stands. */
const MARKER = extensionBytes(7)
const MARK = { extension: 'immutableOwner' }

describe('token metadata', () => {
  test('may have room left over', () => {
    const data = mintBytes({}, extensionBytes(19, metadataBytes(['n', 's', 'u']), zeros(33)))
    expect(parsed(data)).toContain('"additionalMetadata":[],')
  })

  test('keeps a byte order mark, which is a character like any other', () => {
    const data = mintBytes({}, extensionBytes(19, metadataBytes(['\ufeffn', '', ''])))
    expect(parsed(data)).toContain('"name":"\ufeffn"')
  })

  test.each([
    ['a text that is not UTF-8', joined(keyOf(1), keyOf(2), u32(1), u8(0xff), zeros(12))],
    [
      'half a surrogate pair',
      joined(keyOf(1), keyOf(2), u32(3), Uint8Array.of(0xed, 0xa0, 0x80), zeros(12)),
    ],
    ['a text beyond the end', joined(keyOf(1), keyOf(2), u32(2 ** 32 - 1), zeros(12))],
    ['more pairs than there are bytes', joined(keyOf(1), keyOf(2), zeros(12), u32(2 ** 32 - 1))],
    ['half of a pair', joined(keyOf(1), keyOf(2), zeros(12), u32(1), zeros(4))],
    ['a key only', keyOf(1)],
    ['nothing', zeros(0)],
  ])('with %s is named as unreadable', (_what, bytes) => {
    expect(extensions(mintBytes({}, extensionBytes(19, bytes), MARKER))).toEqual([
      UNPARSEABLE,
      MARK,
    ])
  })
})

function parsed(data: Uint8Array): string | null {
  return parseSplToken(accountOf(data), helpsWith({}))
}

function extensions(data: Uint8Array): unknown {
  return JSON.parse(parsed(data) ?? 'null').info.extensions
}

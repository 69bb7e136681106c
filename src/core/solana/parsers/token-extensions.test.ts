import { describe, expect, test } from 'bun:test'
import {
  accountOf,
  f64,
  i64,
  joined,
  keyOf,
  u8,
  u16,
  u64,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import {
  extensionBytes,
  helpsWith,
  metadataBytes,
  mintBytes,
  tokenAccountBytes,
} from '../../../../tests/support/solana/token-bytes.ts'
import { encodeKey } from '../base58.ts'
import { parseSplToken } from './spl-token.ts'

const U64_MAX = 2n ** 64n - 1n
const DIGITS = '18446744073709551615'
const UNPARSEABLE = { extension: 'unparseableExtension' }

const key = (byte: number) => encodeKey(keyOf(byte))
const filled = (byte: number, count: number) => new Uint8Array(count).fill(byte)
const base64 = (byte: number, count: number) => Buffer.alloc(count, byte).toString('base64')

type Row = [name: string, type: number, bytes: Uint8Array, stateText: string | null]

const OF_MINTS: Row[] = [
  [
    'transferFeeConfig',
    1,
    joined(keyOf(1), zeros(32), u64(U64_MAX), fee(7n, U64_MAX, 65_535), fee(8n, 9n, 10)),
    `{"newerTransferFee":{"epoch":8,"maximumFee":9,"transferFeeBasisPoints":10},` +
      `"olderTransferFee":{"epoch":7,"maximumFee":${DIGITS},"transferFeeBasisPoints":65535},` +
      `"transferFeeConfigAuthority":"${key(1)}","withdrawWithheldAuthority":null,` +
      `"withheldAmount":${DIGITS}}`,
  ],
  ['mintCloseAuthority', 3, keyOf(1), `{"closeAuthority":"${key(1)}"}`],
  [
    'confidentialTransferMint',
    4,
    joined(keyOf(1), u8(1), keyOf(2)),
    `{"auditorElgamalPubkey":"${base64(2, 32)}","authority":"${key(1)}",` +
      '"autoApproveNewAccounts":true}',
  ],
  ['defaultAccountState', 6, u8(2), '{"accountState":"frozen"}'],
  ['nonTransferable', 9, zeros(0), null],
  [
    'interestBearingConfig',
    10,
    joined(keyOf(1), i64(-1n), u16(-500), i64(2n ** 63n - 1n), u16(32_767)),
    '{"currentRate":32767,"initializationTimestamp":-1,"lastUpdateTimestamp":9223372036854775807,' +
      `"preUpdateAverageRate":-500,"rateAuthority":"${key(1)}"}`,
  ],
  ['permanentDelegate', 12, zeros(32), '{"delegate":null}'],
  [
    'transferHook',
    14,
    joined(keyOf(1), keyOf(2)),
    `{"authority":"${key(1)}","programId":"${key(2)}"}`,
  ],
  [
    'confidentialTransferFeeConfig',
    16,
    joined(zeros(32), zeros(32), u8(0), filled(3, 64)),
    '{"authority":null,"harvestToMintEnabled":false,' +
      `"withdrawWithheldAuthorityElgamalPubkey":"${base64(0, 32)}",` +
      `"withheldAmount":"${base64(3, 64)}"}`,
  ],
  [
    'metadataPointer',
    18,
    joined(zeros(32), keyOf(2)),
    `{"authority":null,"metadataAddress":"${key(2)}"}`,
  ],
  [
    'tokenMetadata',
    19,
    metadataBytes(
      ['Nämé "x"', 'S\n\u0001', 'https://…'],
      [
        ['a', '1'],
        ['', '😀'],
      ],
    ),
    `{"additionalMetadata":[["a","1"],["","😀"]],"mint":"${key(2)}","name":"Nämé \\"x\\"",` +
      `"symbol":"S\\n\\u0001","updateAuthority":"${key(1)}","uri":"https://…"}`,
  ],
  [
    'groupPointer',
    20,
    joined(keyOf(1), keyOf(2)),
    `{"authority":"${key(1)}","groupAddress":"${key(2)}"}`,
  ],
  [
    'tokenGroup',
    21,
    joined(keyOf(1), zeros(32), u64(3n), u64(U64_MAX)),
    `{"maxSize":${DIGITS},"mint":"${encodeKey(zeros(32))}","size":3,"updateAuthority":"${key(1)}"}`,
  ],
  [
    'groupMemberPointer',
    22,
    joined(keyOf(1), zeros(32)),
    `{"authority":"${key(1)}","memberAddress":null}`,
  ],
  [
    'tokenGroupMember',
    23,
    joined(keyOf(1), keyOf(2), u64(9n)),
    `{"group":"${key(2)}","memberNumber":9,"mint":"${key(1)}"}`,
  ],
  [
    'confidentialMintBurn',
    24,
    joined(filled(1, 64), filled(2, 36), filled(3, 32), filled(4, 64)),
    `{"confidentialSupply":"${base64(1, 64)}","decryptableSupply":"${base64(2, 36)}",` +
      `"pendingBurn":"${base64(4, 64)}","supplyElgamalPubkey":"${base64(3, 32)}"}`,
  ],
  [
    'scaledUiAmountConfig',
    25,
    joined(keyOf(1), f64(1e21), i64(-7n), f64(Number.POSITIVE_INFINITY)),
    `{"authority":"${key(1)}","multiplier":"1000000000000000000000","newMultiplier":"inf",` +
      '"newMultiplierEffectiveTimestamp":-7}',
  ],
  ['pausableConfig', 26, joined(keyOf(1), u8(255)), `{"authority":"${key(1)}","paused":true}`],
  ['permissionedBurnConfig', 28, keyOf(1), `{"authority":"${key(1)}"}`],
]

const OF_ACCOUNTS: Row[] = [
  ['transferFeeAmount', 2, u64(U64_MAX), `{"withheldAmount":${DIGITS}}`],
  [
    'confidentialTransferAccount',
    5,
    joined(
      joined(u8(1), filled(1, 32), filled(2, 64), filled(3, 64), filled(4, 64), filled(5, 36)),
      joined(u8(0), u8(1), u64(6n), u64(65_536n), u64(7n), u64(U64_MAX)),
    ),
    `{"actualPendingBalanceCreditCounter":${DIGITS},"allowConfidentialCredits":false,` +
      `"allowNonConfidentialCredits":true,"approved":true,"availableBalance":"${base64(4, 64)}",` +
      `"decryptableAvailableBalance":"${base64(5, 36)}","elgamalPubkey":"${base64(1, 32)}",` +
      '"expectedPendingBalanceCreditCounter":7,"maximumPendingBalanceCreditCounter":65536,' +
      `"pendingBalanceCreditCounter":6,"pendingBalanceHi":"${base64(3, 64)}",` +
      `"pendingBalanceLo":"${base64(2, 64)}"}`,
  ],
  ['immutableOwner', 7, zeros(0), null],
  ['memoTransfer', 8, u8(1), '{"requireIncomingTransferMemos":true}'],
  ['cpiGuard', 11, u8(0), '{"lockCpi":false}'],
  ['nonTransferableAccount', 13, zeros(0), null],
  ['transferHookAccount', 15, u8(1), '{"transferring":true}'],
  ['confidentialTransferFeeAmount', 17, filled(1, 64), `{"withheldAmount":"${base64(1, 64)}"}`],
  ['pausableAccount', 27, zeros(0), null],
]

describe.each([
  ['mint', OF_MINTS, mintBytes, tokenAccountBytes],
  ['account', OF_ACCOUNTS, tokenAccountBytes, mintBytes],
] as const)('an extension of a token %s', (_kind, rows, own, other) => {
  test.each(rows)('%s is shown in the words of a node', (name, type, bytes, stateText) => {
    const state = stateText === null ? '' : `,"state":${stateText}`
    const text = parsed(own({}, extensionBytes(type, bytes)))
    expect(text).toContain(`"extensions":[{"extension":"${name}"${state}}],`)
  })

  const withState = rows.filter(([, , , stateText]) => stateText !== null)

  test.each(withState)('%s of a wrong length spoils only itself', (_name, type, bytes) => {
    const short = extensionBytes(type, bytes.subarray(0, -1))
    expect(extensions(own({}, MARKER, short, MARKER))).toEqual([MARK, UNPARSEABLE, MARK])
  })

  test.each(withState)('%s in the wrong place is named as unreadable', (_name, type, bytes) => {
    expect(extensions(other({}, extensionBytes(type, bytes)))).toEqual([UNPARSEABLE])
  })
})

/** Has no state, so a node names it wherever it stands. */
const MARKER = extensionBytes(7)
const MARK = { extension: 'immutableOwner' }

describe('the list of extensions', () => {
  test('keeps the order in which they lie there', () => {
    const data = tokenAccountBytes({}, extensionBytes(11, u8(1)), MARKER, extensionBytes(8, u8(0)))
    expect(extensions(data)).toEqual([
      { extension: 'cpiGuard', state: { lockCpi: true } },
      MARK,
      { extension: 'memoTransfer', state: { requireIncomingTransferMemos: false } },
    ])
  })

  test('ends at the first empty place, whatever follows', () => {
    expect(extensions(tokenAccountBytes({}, MARKER, zeros(2), filled(255, 9)))).toEqual([MARK])
    expect(extensions(tokenAccountBytes({}, MARKER, zeros(1)))).toEqual([MARK])
  })

  test.each([
    ['a kind that nobody knows', extensionBytes(29)],
    ['a kind of the largest number', extensionBytes(65_535)],
    ['a length beyond the end', joined(u16(11), u16(2), u8(1))],
    ['the largest length', joined(u16(11), u16(65_535), zeros(100))],
    ['a kind without a length', u16(11)],
    ['half a length', joined(u16(11), u8(1))],
  ])('is left out as a whole, as the node does, after %s', (_what, broken) => {
    const text = parsed(tokenAccountBytes({}, MARKER, broken))
    expect(text).toContain('"type":"account"')
    expect(text).not.toContain('extensions')
  })

  test('shows the first of two of a kind both times, as the node does', () => {
    const data = tokenAccountBytes({}, extensionBytes(11, u8(1)), extensionBytes(11, u8(0)))
    const locked = { extension: 'cpiGuard', state: { lockCpi: true } }
    expect(extensions(data)).toEqual([locked, locked])
  })

  test('is read in a time that grows with its length only', () => {
    const many = Array.from({ length: 50_000 }, (_, at) => extensionBytes(at < 49_999 ? 7 : 13))
    expect(extensions(tokenAccountBytes({}, ...many))).toHaveLength(50_000)
  })
})

describe('the state new accounts begin in', () => {
  test('is the first one when no version knows it', () => {
    const data = mintBytes({}, extensionBytes(6, u8(9)))
    expect(parsed(data)).toContain('"state":{"accountState":"uninitialized"}')
  })
})

function parsed(data: Uint8Array): string | null {
  return parseSplToken(accountOf(data), helpsWith({}))
}

function extensions(data: Uint8Array): unknown {
  return JSON.parse(parsed(data) ?? 'null').info.extensions
}

function fee(epoch: bigint, maximum: bigint, basisPoints: number): Uint8Array {
  return joined(u64(epoch), u64(maximum), u16(basisPoints))
}

import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import {
  accountOf,
  addressKey,
  joined,
  keyOf,
  randomBytes,
  text,
  u8,
  u32,
  u64,
  zeros,
} from '../../../../tests/support/solana/account-bytes.ts'
import type { Account } from '../account.ts'
import { isTokenProgram, PROGRAM_IDS, PROGRAM_KEYS } from '../programs.ts'
import { parseAccount } from './parse-account.ts'
import type { ParseHelps } from './parse-helps.ts'

const HELPS: ParseHelps = {
  mint: () => ({ decimals: 9, interest: null, scaled: null }),
  unixTimestamp: 0n,
}

const MINT = joined(zeros(36), u64(5n), u8(6), u8(1), zeros(36))
const VALIDATOR_INFO = addressKey('Va1idator1nfo111111111111111111111111111111')
const FEES = addressKey('SysvarFees111111111111111111111111111111111')

/** Addresses that only mean something under the owner of sysvars. */
const SYSVARS = [
  FEES,
  addressKey('SysvarEpochRewards1111111111111111111111111'),
  addressKey('SysvarRecentB1ockHashes11111111111111111111'),
  addressKey('SysvarS1otHashes111111111111111111111111111'),
  addressKey('SysvarS1otHistory11111111111111111111111111'),
  addressKey('SysvarStakeHistory1111111111111111111111111'),
]

/** One small account of each program: its bytes, and the words a client sees. */
const ACCOUNTS: [
  program: keyof typeof PROGRAM_IDS,
  data: Uint8Array,
  name: string,
  type: string,
][] = [
  ['addressLookupTable', zeros(56), 'address-lookup-table', 'uninitialized'],
  ['config', joined(u8(1), VALIDATOR_INFO, u8(0), text('{"name":"x"}')), 'config', 'validatorInfo'],
  ['splToken', MINT, 'spl-token', 'mint'],
  ['splToken2022', MINT, 'spl-token-2022', 'mint'],
  ['stake', zeros(200), 'stake', 'uninitialized'],
  ['system', joined(u32(1), u32(1), zeros(72)), 'nonce', 'initialized'],
  ['sysvar', zeros(8), 'sysvar', 'fees'],
  ['upgradeableLoader', joined(u32(2), keyOf(1)), 'bpf-upgradeable-loader', 'program'],
  ['vote', joined(u32(3), zeros(3_758)), 'vote', 'vote'],
]

describe('the data of an account, parsed', () => {
  test.each(ACCOUNTS)('%s has a parser', (program, data, name, type) => {
    const account = accountOf(data, { owner: PROGRAM_KEYS[program], pubkey: FEES })
    const found = JSON.parse(parseAccount(account, HELPS) ?? 'null')
    expect(Object.keys(found)).toEqual(['parsed', 'program', 'space'])
    expect(found).toMatchObject({ parsed: { type }, program: name, space: data.length })
  })

  test('all known programs are tried above', () => {
    expect(ACCOUNTS.map(([program]) => program)).toEqual(
      Object.keys(PROGRAM_IDS) as (keyof typeof PROGRAM_IDS)[],
    )
  })

  test.each(ACCOUNTS)('the members of %s stand in the order of a node', (program, data) => {
    const account = accountOf(data, { owner: PROGRAM_KEYS[program], pubkey: FEES })
    expectInOrder(JSON.parse(parseAccount(account, HELPS) ?? 'null'))
  })

  test('an account of any other program has none', () => {
    expect(parseAccount(accountOf(zeros(200), { owner: keyOf(7) }), HELPS)).toBeNull()
    expect(parseAccount(accountOf(zeros(200), { owner: zeros(31) }), HELPS)).toBeNull()
  })

  test('only the two token programs count as such', () => {
    const tokens = Object.entries(PROGRAM_KEYS).filter(([, key]) => isTokenProgram(key))
    expect(tokens.map(([name]) => name)).toEqual(['splToken', 'splToken2022'])
  })

  test.each(Object.keys(PROGRAM_KEYS) as (keyof typeof PROGRAM_KEYS)[])(
    'whatever the bytes of an account of %s, it is parsed or left alone',
    (program) => {
      const chance = seededChance(99)
      for (let round = 0; round < 400; round++) {
        const pubkey = chance.pick(SYSVARS)
        const start = chance.pick([u32(chance.between(0, 4)), VALIDATOR_START, zeros(0)])
        const rest = randomBytes(chance, chance.between(0, chance.pick([16, 200, 600])))
        expectSound(accountOf(joined(start, rest), { owner: PROGRAM_KEYS[program], pubkey }))
      }
    },
  )

  test.each(ACCOUNTS)('bytes of %s that were bent or cut off do no harm', (program, data) => {
    const chance = seededChance(7)
    for (let round = 0; round < 400; round++) {
      const bent = data.slice(0, chance.between(0, data.length))
      for (let flips = chance.between(0, 4); flips > 0 && bent.length > 0; flips--) {
        bent[chance.between(0, bent.length - 1)] = chance.between(0, 255)
      }
      expectSound(accountOf(bent, { owner: PROGRAM_KEYS[program], pubkey: FEES }))
    }
  })
})

const VALIDATOR_START = joined(u8(1), VALIDATOR_INFO, u8(0))

/** Parsing neither throws nor gives anything that is not JSON. */
function expectSound(account: Account): void {
  const parsed = parseAccount(account, HELPS)
  if (parsed !== null) expect(JSON.parse(parsed).space).toBe(account.data.length)
}

function expectInOrder(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const names = Array.isArray(value) ? [] : Object.keys(value)
  expect(names).toEqual([...names].sort())
  for (const member of Object.values(value)) expectInOrder(member)
}

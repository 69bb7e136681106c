import { assert } from '../errors.ts'
import { decodeKey } from './base58.ts'

/** The programs whose accounts a node can show as JSON. */
export const PROGRAM_IDS = {
  addressLookupTable: 'AddressLookupTab1e1111111111111111111111111',
  config: 'Config1111111111111111111111111111111111111',
  splToken: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  splToken2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  stake: 'Stake11111111111111111111111111111111111111',
  system: '11111111111111111111111111111111',
  sysvar: 'Sysvar1111111111111111111111111111111111111',
  upgradeableLoader: 'BPFLoaderUpgradeab1e11111111111111111111111',
  vote: 'Vote111111111111111111111111111111111111111',
} as const

export const PROGRAM_KEYS = Object.fromEntries(
  Object.entries(PROGRAM_IDS).map(([name, id]) => [name, keyOf(id)]),
) as Readonly<Record<keyof typeof PROGRAM_IDS, Uint8Array>>

export function sameKey(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

/** The two programs of which a node leaves out the accounts that do not parse. */
export function isTokenProgram(program: Uint8Array): boolean {
  return sameKey(program, PROGRAM_KEYS.splToken) || sameKey(program, PROGRAM_KEYS.splToken2022)
}

function keyOf(id: string): Uint8Array {
  const key = decodeKey(id)
  assert(key !== null, `${id} is the id of a program`)
  return key
}

import { createHash } from 'node:crypto'
import { TEST_WALLETS, TOKEN_MINT } from '../../../packages/devnet/src/solana/solana-genesis.ts'
import { encodeBase58 } from '../../../src/core/solana/base58.ts'
import type { SolanaRpc } from './solana-rpc.ts'

type Wanted = { program: string; create?: number; change?: number; close?: number }

const TOKEN_ACCOUNT_BYTES = 165
const SET_AT_ONCE = 10_000

let drawn = 0

/** Makes, changes and closes accounts of a program, each of them shaped like a token account. */
export async function churnAccounts(rpc: SolanaRpc, wanted: Wanted) {
  const { program, create = 0, change = 0, close = 0 } = wanted
  const config = {
    commitment: 'processed',
    encoding: 'base64',
    dataSlice: { offset: 0, length: 0 },
  }
  const filters = [{ dataSize: TOKEN_ACCOUNT_BYTES }]
  const there: { pubkey: string }[] =
    change + close === 0
      ? []
      : await rpc.call('getProgramAccounts', program, { ...config, filters })
  const picked = Array.from({ length: Math.min(change + close, there.length) }, () => {
    const [one] = there.splice(nextBytes().readUInt32LE() % there.length, 1)
    return one!.pubkey
  })
  const created = Array.from({ length: create }, () => encodeBase58(nextBytes()))
  const [closed, changed] = [picked.slice(0, close), picked.slice(close)]
  const accounts = [
    ...[...created, ...changed].map((pubkey) => ({
      pubkey,
      owner: program,
      lamports: 2_039_280,
      data: tokenAccountData().toString('base64'),
    })),
    ...closed.map((pubkey) => ({ pubkey, owner: program, lamports: 0 })),
  ]
  let slot = 0
  for (let at = 0; at < accounts.length; at += SET_AT_ONCE) {
    slot = await rpc.call('headgate_setAccounts', accounts.slice(at, at + SET_AT_ONCE))
  }
  return { slot, created, changed, closed }
}

function tokenAccountData(): Buffer {
  const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES)
  data.set(TOKEN_MINT.key)
  data.set(TEST_WALLETS[nextBytes().readUInt32LE() % TEST_WALLETS.length]!.key, 32)
  data.set(nextBytes().subarray(0, 8), 64)
  data[108] = 1
  return data
}

function nextBytes(): Buffer {
  drawn++
  return createHash('sha256').update(`headgate churn ${drawn}`).digest()
}

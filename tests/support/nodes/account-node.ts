import type { Account, AccountFilter } from '../../../src/core/solana/account.ts'
import { decodeKey, encodeKey } from '../../../src/core/solana/base58.ts'
import { compareKeys } from '../../../src/core/solana/compare-keys.ts'
import { matchesFilters } from '../../../src/core/solana/request/matches-filters.ts'
import {
  type ProgramAccountsCall,
  readProgramAccountsCall,
} from '../../../src/core/solana/request/program-accounts.ts'
import { isSolanaError, solanaErrorText } from '../../../src/core/solana/solana-error.ts'
import { openRecordWriter } from '../../../src/core/solana/text/encodings.ts'
import { seededChance } from '../basics/seeded-chance.ts'
import { type FakeNode, startFakeNode } from './fake-node.ts'

/** A Solana node with accounts of one program, which can be made to misbehave with them. */
export type AccountNode = FakeNode & {
  accounts: Map<string, Account>
  /** How its records are ordered. */
  order: 'sorted' | 'shuffled'
  /** Says this instead of giving the records; their keys alone are given all the same. */
  refusal: { code: number; message: string } | number | null
  /** Ends an answer after so many records, as if its process had died. */
  breakAfter: number | null
  /** Cuts its answers into pages of so many records. */
  pageSize: number | null
  /** Between two pages its slot moves on. */
  movesOn: boolean
  /** A promise that it waits for after so many records. */
  hold: { after: number; until: Promise<void> } | null
  /** The place of the context: none, before the records, or behind them. */
  context: 'none' | 'first' | 'last'
  /** Called before each getMultipleAccounts is answered. */
  beforeAccounts: () => void
  /** Streams that nobody wanted to read to their end. */
  cancelled: number
}

export const PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const PROGRAM_KEY = decodeKey(PROGRAM) as Uint8Array

/** The largest u64 and a number that no double holds. */
const RENT_EPOCH = 18_446_744_073_709_551_615n
export const LAMPORTS = 9_007_199_254_740_993n

const NODE_RULES = { defaultEncoding: 'binary', pageLimit: Number.MAX_SAFE_INTEGER } as const
const BATCH_RECORDS = 64

export function startAccountNode(name = 'node'): AccountNode {
  const node = Object.assign(startFakeNode(name), {
    accounts: new Map<string, Account>(),
    order: 'sorted',
    refusal: null,
    breakAfter: null,
    pageSize: null,
    movesOn: false,
    hold: null,
    context: 'first',
    beforeAccounts: () => {},
    cancelled: 0,
  } as const) as unknown as AccountNode
  node.misbehave = (method, body) => {
    const { id, params } = JSON.parse(body)
    if (method === 'getProgramAccounts') return programAccounts(node, id, params)
    if (method === 'getMultipleAccounts') return multipleAccounts(node, id, params)
    return null
  }
  return node
}

/** Accounts with made-up keys and data of so many bytes. */
export function fill(node: AccountNode, count: number, dataBytes = 100, seed = 1): void {
  const chance = seededChance(seed)
  for (let at = 0; at < count; at++) {
    const pubkey = Uint8Array.from({ length: 32 }, () => chance.between(0, 255))
    const data = new Uint8Array(dataBytes).fill(at % 256)
    put(node, { pubkey, data, lamports: LAMPORTS + BigInt(2 * at) })
  }
}

export function put(node: AccountNode, given: Partial<Account> & { pubkey: Uint8Array }): void {
  const usual = { owner: PROGRAM_KEY, lamports: 1n, rentEpoch: RENT_EPOCH, executable: false }
  node.accounts.set(encodeKey(given.pubkey), { ...usual, data: new Uint8Array(), ...given })
}

/** The keys of all accounts, in the order of their bytes. */
export function keysOf(node: AccountNode): string[] {
  return sorted(node).map(({ pubkey }) => encodeKey(pubkey))
}

function sorted(node: AccountNode, filters: readonly AccountFilter[] = []): Account[] {
  return [...node.accounts.values()]
    .filter(({ owner }) => compareKeys(owner, PROGRAM_KEY) === 0)
    .filter(({ data }) => matchesFilters(filters, data))
    .sort((a, b) => compareKeys(a.pubkey, b.pubkey))
}

function programAccounts(node: AccountNode, id: unknown, params: [string, PagedConfig]): Response {
  const { pageKey = null, ...config } = params[1]
  const call = readProgramAccountsCall(JSON.stringify([params[0], config]), NODE_RULES)
  if (isSolanaError(call)) return reply(id, `"error":${solanaErrorText(call)}`)
  const isForKeys = call.dataSlice?.length === 0
  if (typeof node.refusal === 'number' && !isForKeys) {
    return new Response('too much', { status: node.refusal })
  }
  if (node.refusal !== null && !isForKeys)
    return reply(id, `"error":${JSON.stringify(node.refusal)}`)
  const slot = node.head.number
  const min = call.minContextSlot
  if (min !== null && min > BigInt(slot)) {
    const message = 'Minimum context slot has not been reached'
    const error = { code: -32016, message, data: { contextSlot: slot } }
    return reply(id, `"error":${JSON.stringify(error)}`)
  }
  if (pageKey !== null && node.movesOn) node.mine()
  return new Response(streamOf(node, call, id, pageKey === null ? 0 : Number(pageKey)))
}

type PagedConfig = { pageKey?: string } & Record<string, unknown>

function streamOf(node: AccountNode, call: ProgramAccountsCall, id: unknown, from: number) {
  const all = sorted(node, call.filters)
  if (node.order === 'shuffled') shuffle(all)
  const to = node.pageSize === null ? all.length : Math.min(all.length, from + node.pageSize)
  const next = to < all.length ? `,"pageKey":"${to}"` : ''
  const pieces = piecesOf(node, call, all.slice(from, to), { id, next })
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel() {
      node.cancelled++
    },
  })
}

async function* piecesOf(
  node: AccountNode,
  call: ProgramAccountsCall,
  accounts: readonly Account[],
  { id, next }: { id: unknown; next: string },
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const slot = node.head.number
  const context = `"context":{"apiVersion":"4.2.0","slot":${slot}}`
  const isBare = node.context === 'none'
  const before = node.context === 'first' ? `{${context},"value":[` : isBare ? '[' : '{"value":['
  const after = node.context === 'last' ? `],${context}${next}}` : isBare ? ']' : `]${next}}`
  yield encoder.encode(`{"jsonrpc":"2.0","id":${id},"result":${before}`)
  const { encoding, dataSlice } = call
  const writer = openRecordWriter({ encoding, dataSlice })
  for (const [at, account] of accounts.entries()) {
    if (at === node.breakAfter) {
      yield writer.take()
      return
    }
    if (at === node.hold?.after) {
      yield writer.take()
      await node.hold.until
    }
    writer.write(account)
    if (at % BATCH_RECORDS === BATCH_RECORDS - 1) yield writer.take()
  }
  yield writer.take()
  yield encoder.encode(`${after}}`)
}

function multipleAccounts(
  node: AccountNode,
  id: unknown,
  [keys, { minContextSlot = 0 }]: [string[], { minContextSlot?: number }],
): Response {
  node.beforeAccounts()
  const slot = node.head.number
  if (keys.length > 100) return reply(id, '"error":{"code":-32602,"message":"Too many inputs"}')
  if (minContextSlot > slot) return reply(id, '"error":{"code":-32016,"message":"Minimum context"}')
  const texts = keys.map((key) => {
    const account = node.accounts.get(key)
    if (!account) return 'null'
    const writer = openRecordWriter({ encoding: 'base64', dataSlice: null })
    writer.write(account)
    const record = Buffer.from(writer.take()).toString()
    return record.slice('{"account":'.length, record.lastIndexOf(',"pubkey":'))
  })
  return reply(id, `"result":{"context":{"slot":${slot}},"value":[${texts.join()}]}`)
}

function reply(id: unknown, member: string): Response {
  return new Response(`{"jsonrpc":"2.0","id":${id},${member}}`)
}

function shuffle(accounts: Account[]): void {
  const chance = seededChance(7)
  for (let at = accounts.length - 1; at > 0; at--) {
    const other = chance.between(0, at)
    const held = accounts[at] as Account
    accounts[at] = accounts[other] as Account
    accounts[other] = held
  }
}

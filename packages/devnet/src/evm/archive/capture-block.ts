import { quantity, type RawChain } from '../fork/raw-chain.ts'
import type { ArchivedReceipt, WholeBlock } from './archived-blocks.ts'
import type { CapturedBlock } from './chain-archive.ts'
import type { StateChange, StateKey } from './state-history.ts'

/** An account as the tracer tells it: what it had before, or what has changed. */
type TracedAccount = {
  balance?: string
  nonce?: number
  code?: string
  storage?: Readonly<Record<string, string>>
}

type Traced = Record<'pre' | 'post', Readonly<Record<string, TracedAccount>>>

const DIFFERENCES = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }

const SET_CODE_TYPE = '0x4'

/** Reads a block with all that it did; null when the chain has none at that height. */
export async function captureBlock(chain: RawChain, number: number): Promise<CapturedBlock | null> {
  const tag = quantity(number)
  const block = await chain.result<WholeBlock | null>('eth_getBlockByNumber', tag, true)
  if (block === null) return null
  const receipts: ArchivedReceipt[] = []
  const changes: StateChange[] = []
  const untold: StateKey[] = []
  for (const { hash, type } of block.transactions) {
    receipts.push(await chain.result<ArchivedReceipt>('eth_getTransactionReceipt', hash))
    const traced = await chain.result<Traced>('debug_traceTransaction', hash, DIFFERENCES)
    changes.push(...Object.entries(traced.post).flatMap(partsOf))
    untold.push(...untoldIn(traced, type === SET_CODE_TYPE))
  }
  // The last one of a key is what holds, and these hold after all transactions.
  changes.push(...(await readState(chain, untold, number)))
  return { block, receipts, changes }
}

/** Reads parts of the state as they are after that block. */
export async function readState(
  chain: RawChain,
  keys: readonly StateKey[],
  number: number,
): Promise<StateChange[]> {
  const changes: StateChange[] = []
  for (const key of keys) changes.push({ ...key, value: await readOne(chain, key, number) })
  return changes
}

function readOne(chain: RawChain, { address, part }: StateKey, number: number): Promise<string> {
  const tag = quantity(number)
  if (part === 'balance') return chain.result('eth_getBalance', address, tag)
  if (part === 'nonce') return chain.result('eth_getTransactionCount', address, tag)
  if (part === 'code') return chain.result('eth_getCode', address, tag)
  return chain.result('eth_getStorageAt', address, part.slot, tag)
}

function partsOf([address, account]: [string, TracedAccount]): StateChange[] {
  const { balance, nonce, code, storage = {} } = account
  const changes: StateChange[] = []
  if (balance !== undefined) changes.push({ address, part: 'balance', value: balance })
  if (nonce !== undefined) changes.push({ address, part: 'nonce', value: quantity(nonce) })
  if (code !== undefined) changes.push({ address, part: 'code', value: code })
  for (const [slot, value] of Object.entries(storage)) {
    changes.push({ address, part: { slot }, value })
  }
  return changes
}

/** The tracer leaves out what has become nothing: accounts, slots, and code that was borrowed. */
function untoldIn({ pre, post }: Traced, setsCode: boolean): StateKey[] {
  const accounts = Object.entries(pre).flatMap(([address, { storage = {} }]) => {
    const after = post[address]
    const parts = after === undefined ? (['balance', 'nonce', 'code'] as const) : []
    const slots = Object.keys(storage).filter((slot) => after?.storage?.[slot] === undefined)
    return [
      ...parts.map((part) => ({ address, part })),
      ...slots.map((slot) => ({ address, part: { slot } })),
    ]
  })
  const touched = setsCode ? [...Object.keys(pre), ...Object.keys(post)] : []
  return [...accounts, ...touched.map((address) => ({ address, part: 'code' as const }))]
}

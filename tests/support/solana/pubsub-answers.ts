import { encodeKey } from '../../../src/core/solana/base58.ts'

// biome-ignore lint/suspicious/noExplicitAny: whatever a client may send.
type Json = any

/** A block of a ledger that several nodes are on. */
export type Block = {
  slot: number
  /** The data of each account, a counter, by public key. */
  accounts: ReadonlyMap<string, number>
  changed: ReadonlySet<string>
  /** Signatures that landed in it. */
  landed: readonly string[]
}

export type Level = 'processed' | 'confirmed' | 'finalized'

/** How many blocks each level is behind. */
export const DEPTHS: Readonly<Record<Level, number>> = { processed: 0, confirmed: 1, finalized: 4 }

export const PROGRAM = encodeKey(new Uint8Array(32).fill(9))

const OWNER = '11111111111111111111111111111111'

/** An account as notifications have it: in another order than answers have it. */
export function notifiedText({ accounts }: Block, pubkey: string): string {
  const value = accounts.get(pubkey) ?? 0
  if (value === 0) {
    return `{"lamports":0,"data":["","base64"],"owner":"${OWNER}","executable":false,"rentEpoch":0,"space":0}`
  }
  return `{"lamports":${value},"data":["AA==","base64"],"owner":"${PROGRAM}","executable":false,"rentEpoch":18446744073709551615,"space":1}`
}

function readText({ accounts }: Block, pubkey: string): string {
  const value = accounts.get(pubkey) ?? 0
  if (value === 0) return 'null'
  return `{"data":["AA==","base64"],"executable":false,"lamports":${value},"owner":"${PROGRAM}","rentEpoch":18446744073709551615,"space":1}`
}

/** The answer of a node that has come to the block of that place, as far as `result` or `error`. */
export function answerText(
  blocks: readonly Block[],
  tip: number,
  method: string,
  params: Json[],
  ignoresMinimum: boolean,
): string {
  const level = (params.at(-1)?.commitment ?? 'finalized') as Level
  const block = blocks[Math.max(0, tip - DEPTHS[level])] as Block
  if (method === 'getGenesisHash') return '"result":"genesis"'
  if (method === 'getSlot') return `"result":${block.slot}`
  if (method === 'getBlocks') {
    const [from, to] = params
    const slots = blocks.slice(0, tip + 1).map(({ slot }) => slot)
    return `"result":[${slots.filter((slot) => slot >= from && slot <= Math.min(to, block.slot))}]`
  }
  if (method === 'getSignatureStatuses') return statusesText(blocks, tip, params[0])
  const slotMin = ignoresMinimum ? 0 : (params[1]?.minContextSlot ?? 0)
  if (slotMin > block.slot) {
    return `"error":{"code":-32016,"message":"Minimum context slot has not been reached","data":{"contextSlot":${block.slot}}}`
  }
  const context = `{"apiVersion":"4.1.0","slot":${block.slot}}`
  if (method === 'getAccountInfo') {
    return `"result":{"context":${context},"value":${readText(block, params[0])}}`
  }
  if (method !== 'getProgramAccounts') return '"error":{"code":-32601,"message":"Method not found"}'
  const records = [...block.accounts]
    .filter(([, value]) => value > 0)
    .map(([pubkey]) => `{"account":${readText(block, pubkey)},"pubkey":"${pubkey}"}`)
  return `"result":{"context":${context},"value":[${records}]}`
}

function statusesText(blocks: readonly Block[], tip: number, signatures: string[]): string {
  const texts = signatures.map((signature) => {
    const at = blocks.findIndex(({ landed }) => landed.includes(signature))
    if (at < 0 || at > tip) return 'null'
    const level = tip - at >= 4 ? 'finalized' : tip - at >= 1 ? 'confirmed' : 'processed'
    return `{"confirmationStatus":"${level}","confirmations":null,"err":null,"slot":${blocks[at]?.slot},"status":{"Ok":null}}`
  })
  return `"result":{"context":{"slot":${blocks[tip]?.slot}},"value":[${texts}]}`
}

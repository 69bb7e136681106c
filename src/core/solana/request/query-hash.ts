import { hashKey } from '../../access/hash-key.ts'
import type { AccountFilter } from '../account.ts'
import { encodeBase58 } from '../base58.ts'
import { filtersToSend } from './filters-to-send.ts'
import type { ProgramAccountsCall } from './program-accounts.ts'

/**
 * One hash for all calls that give the same records in the same words: whatever page they ask
 * for, however they wrap it, and in whatever order they name their filters.
 */
export function queryHash(call: ProgramAccountsCall): string {
  const filters = new Set(filtersToSend(call.programText, call.filters).map(filterText))
  const slice = call.dataSlice
  return hashKey(
    JSON.stringify([
      call.version,
      call.programText,
      call.encoding,
      slice === null ? null : [slice.offset, slice.length],
      call.commitment,
      call.order,
      call.changedSinceSlot === null ? null : `${call.changedSinceSlot}`,
      [...filters].sort(),
    ]),
  )
}

/** The params for a node: always sorted and with the slot, in words that every version knows. */
export function upstreamParams(
  call: ProgramAccountsCall,
  overrides: Partial<ProgramAccountsCall> = {},
): string {
  const asked = { ...call, ...overrides }
  const members = [
    `"encoding":"${asked.encoding}"`,
    `"commitment":"${asked.commitment}"`,
    '"withContext":true',
    '"sortResults":true',
  ]
  const filters = filtersToSend(call.programText, asked.filters)
  if (filters.length > 0) members.push(`"filters":[${filters.map(filterText).join()}]`)
  if (asked.dataSlice !== null) {
    const { offset, length } = asked.dataSlice
    members.push(`"dataSlice":{"offset":${offset},"length":${length}}`)
  }
  if (asked.minContextSlot !== null) members.push(`"minContextSlot":${asked.minContextSlot}`)
  return `["${call.programText}",{${members.join()}}]`
}

function filterText(filter: AccountFilter): string {
  if (filter.kind === 'dataSize') return `{"dataSize":${filter.bytes}}`
  // The bare name: `{"tokenAccountState":null}` is the same to a node, and less common.
  if (filter.kind === 'tokenAccountState') return '"tokenAccountState"'
  return `{"memcmp":{"offset":${filter.offset},"bytes":"${encodeBase58(filter.bytes)}"}}`
}

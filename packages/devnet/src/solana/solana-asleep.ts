import { rawMembers } from '../../../../src/core/json/json-scan.ts'

/** Every ledger made here is one and the same network to whoever checks. */
export const GENESIS_HASH = '4ERR4GgKzoC6NDkrZo5CVq4KiDTnHWsNcAtk6BVQn64v'

/** The first slot: about where the main network was when the machine was made. */
export const FIRST_SLOT = 440_208_000

/** So far the slots have come when a ledger begins: the newest one is already there. */
export const SLOTS_AT_START = 5

/** Longer calls are not those that are meant here. */
const SHORT_CHARS_MAX = 256

/**
 * Answers what a service asks a node to see whether it lives, so that the machine is made only
 * when somebody wants more; null for everything else.
 */
export function answerAsleep(text: string, slot: number): string | null {
  const call = readShortCall(text)
  if (call === null) return null
  const result = resultOf(call.method, call.paramsText, slot)
  return result === null ? null : `{"jsonrpc":"2.0","result":${result},"id":${call.idText}}`
}

function resultOf(method: string, paramsText: string, slot: number): string | null {
  if (method === 'getSlot') return paramsText === '[{"commitment":"processed"}]' ? `${slot}` : null
  if (paramsText !== '[]') return null
  if (method === 'getGenesisHash') return `"${GENESIS_HASH}"`
  return method === 'getHealth' ? '"ok"' : null
}

function readShortCall(text: string) {
  if (text.length > SHORT_CHARS_MAX) return null
  try {
    const body = JSON.parse(text) as { jsonrpc?: unknown; method?: unknown } | null
    if (body?.jsonrpc !== '2.0' || typeof body.method !== 'string') return null
    const raw = rawMembers(text)
    const idText = raw.get('id')
    if (idText === undefined) return null
    return { idText, method: body.method, paramsText: raw.get('params') ?? '[]' }
  } catch {
    return null
  }
}

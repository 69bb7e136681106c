import { readUpTo } from '../../core/async/read-up-to.ts'
import { Failure } from '../../core/errors.ts'
import type { Account, Commitment } from '../../core/solana/account.ts'
import { encodeKey } from '../../core/solana/base58.ts'
import { readAccountsReply } from '../../core/solana/text/account-text.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { requestAny } from '../../upstream/pool/upstream-pool.ts'
import { poolCall } from './scanning.ts'

export type Asking = {
  clock: Clock
  service: NetworkService
  commitment: Commitment
  slotMin: bigint
  signal: AbortSignal
}

/** The most keys that a node takes in one call, unless its operator says otherwise. */
export const KEYS_AT_ONCE = 100

/** Some accounts have 10 MiB; an answer with many of those is asked for in halves. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024

const ATTEMPTS_MAX = 4
/** A slot later, a node that was behind may have come up. */
const RETRY_MS = 400

/**
 * The accounts of keys in their order, null where there is none. Asks again when a node is behind
 * or fails, in halves when it says that this is too much, and throws in the end.
 */
export async function readAccounts(
  asking: Asking,
  keys: readonly Uint8Array[],
): Promise<(Account | null)[]> {
  const accounts: (Account | null)[] = []
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    accounts.push(...(await readSome(asking, keys.slice(from, from + KEYS_AT_ONCE))))
  }
  return accounts
}

async function readSome(asking: Asking, keys: readonly Uint8Array[]): Promise<(Account | null)[]> {
  for (let attempt = 1; ; attempt++) {
    const accounts = await askOnce(asking, keys).catch(failureOf)
    if (accounts === 'too_much' && keys.length > 1) return readHalves(asking, keys)
    if (Array.isArray(accounts)) return accounts
    if (attempt === ATTEMPTS_MAX || asking.signal.aborted) {
      throw accounts instanceof Failure ? accounts : new Failure('upstream_answered_badly')
    }
    await asking.clock.sleep(RETRY_MS * attempt)
  }
}

async function readHalves(
  asking: Asking,
  keys: readonly Uint8Array[],
): Promise<(Account | null)[]> {
  const middle = keys.length >> 1
  const first = await readSome(asking, keys.slice(0, middle))
  return [...first, ...(await readSome(asking, keys.slice(middle)))]
}

async function askOnce(
  { service, commitment, slotMin }: Asking,
  keys: readonly Uint8Array[],
): Promise<(Account | null)[] | 'too_much' | 'unusable'> {
  const texts = keys.map((key) => `"${encodeKey(key)}"`)
  const config = `{"encoding":"base64","commitment":"${commitment}","minContextSlot":${slotMin}}`
  const paramsText = `[[${texts.join()}],${config}]`
  const { reply } = await requestAny(
    service.pool,
    poolCall(service, 'getMultipleAccounts', paramsText),
  )
  if (reply.kind === 'error')
    return /too many|too large/i.test(reply.message) ? 'too_much' : 'unusable'
  const text = reply.kind === 'result' ? reply.text : await readUpTo(reply.stream, ANSWER_BYTES_MAX)
  if (text === null) return 'too_much'
  const read = readAccountsReply(text.toString(), keys)
  return read !== null && read.slot >= slotMin ? read.accounts : 'unusable'
}

/** A stream that breaks says so with an error of any kind. */
function failureOf(thrown: unknown): Failure {
  return thrown instanceof Failure ? thrown : new Failure('upstream_answered_badly', {}, thrown)
}

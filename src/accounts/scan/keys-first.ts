import { Failure } from '../../core/errors.ts'
import type { Account } from '../../core/solana/account.ts'
import { parseAccount } from '../../core/solana/parsers/parse-account.ts'
import { isTokenProgram, sameKey } from '../../core/solana/programs.ts'
import { matchesFilters } from '../../core/solana/request/matches-filters.ts'
import { solanaErrorText } from '../../core/solana/solana-error.ts'
import { openRecordWriter, takeRecord } from '../../core/solana/text/encodings.ts'
import { openRecordLog, type RecordLog } from '../record-log/record-log.ts'
import { type MintCache, openMintCache } from './mint-cache.ts'
import { type Asking, KEYS_AT_ONCE, readAccounts } from './read-accounts.ts'
import { scanUpstream } from './scan-upstream.ts'
import type { Found, Scanned, Scanning } from './scanning.ts'

/** Ten thousand calls to the upstream for one answer are the most that one may cost. */
const KEYS_MAX = 1_000_000

const BATCHES_AT_ONCE = 8

type Written = { key: Uint8Array; record: Uint8Array }

/** An encoding that cannot hold the data of an account, in a node's own words. */
class Unwritable extends Error {
  readonly said: { code: number; message: string; text: string }

  constructor(said: Unwritable['said']) {
    super(said.message)
    this.said = said
  }
}

/**
 * For nodes that refuse to give all at once: the keys alone, in order, and then the accounts a
 * hundred at a time. Between the two some are closed, taken over or changed, so each is checked
 * against the question once more. The answer counts as one of the slot of its keys.
 */
export async function scanKeysFirst(scanning: Scanning): Promise<Scanned> {
  const keys = await scanUpstream(scanning, 'keys', 'any')
  if (keys.kind !== 'whole') return keys
  const { upstream, context } = keys.found
  const log = openRecordLog(scanning.clock, scanning.room)
  const found: Found = { upstream, context, log }
  const state = { isShown: false }
  try {
    await readAll(scanning, keys.found, found, state)
    log.end()
    return { kind: 'whole', found }
  } catch (thrown) {
    const failure = thrown instanceof Failure ? thrown : new Failure('upstream_answered_badly')
    log.end(failure)
    if (!state.isShown) await log.remove()
    if (thrown instanceof Unwritable && !state.isShown) {
      return { kind: 'refused', error: thrown.said, upstream }
    }
    if (!(thrown instanceof Failure) && !(thrown instanceof Unwritable)) throw thrown
    return { kind: 'broken', failure, upstream, wasShown: state.isShown }
  } finally {
    await keys.found.log.remove()
  }
}

async function readAll(
  scanning: Scanning,
  keys: Found,
  found: Found,
  state: { isShown: boolean },
): Promise<void> {
  const { clock, service, call, signal } = scanning
  const { slot } = keys.context
  if (slot === null) throw new Failure('upstream_answered_badly', { reason: 'keys of no slot' })
  if (keys.log.count > KEYS_MAX) {
    throw new Failure('upstream_answered_badly', { reason: 'too many keys' })
  }
  const asking: Asking = {
    clock,
    service,
    commitment: call.commitment,
    slotMin: slot,
    signal,
  }
  // In base 58 a later account may still be refused, and with it the whole answer.
  const isBase58 = call.encoding === 'base58' || call.encoding === 'binary'
  const mayShow = call.order === 'asc' && !isBase58
  const isParsed = call.encoding === 'jsonParsed'
  const mints = isParsed ? await openMintCache((some) => readAccounts(asking, some)) : null
  for await (const batch of batches(asking, keys.log)) {
    if (signal.aborted) throw new Failure('upstream_timed_out')
    await mints?.learn(batch)
    for (const { key, record } of writeRecords(scanning, mints, batch)) found.log.add(record, key)
    if (mayShow && found.log.count > 0 && !state.isShown) {
      state.isShown = true
      scanning.show(found)
    }
    found.log.announce()
    await found.log.settled()
  }
}

/** The accounts of all keys in their order, some batches being asked for ahead. */
async function* batches(asking: Asking, keys: RecordLog): AsyncGenerator<Account[]> {
  const ahead: Promise<(Account | null)[]>[] = []
  for (let from = 0; from < keys.count || ahead.length > 0; ) {
    while (from < keys.count && ahead.length < BATCHES_AT_ONCE) {
      const rows = await keys.rows(from, Math.min(keys.count, from + KEYS_AT_ONCE))
      const reading = readAccounts(
        asking,
        rows.map(({ key }) => key),
      )
      // One that fails is told when its turn comes.
      reading.catch(() => {})
      ahead.push(reading)
      from += rows.length
    }
    const accounts = (await ahead.shift()) ?? []
    yield accounts.filter((account) => account !== null)
  }
}

function* writeRecords(
  { call }: Scanning,
  mints: MintCache | null,
  accounts: readonly Account[],
): Generator<Written> {
  const { encoding, dataSlice, filters, program } = call
  const parse = (account: Account) => mints && parseAccount(account, mints.helps)
  const writer = openRecordWriter({ encoding, dataSlice, parse })
  // A node leaves out the accounts of the token programs that it cannot parse.
  const mustParse = mints !== null && isTokenProgram(program)
  for (const account of accounts) {
    if (!sameKey(account.owner, program) || account.lamports === 0n) continue
    if (!matchesFilters(filters, account.data)) continue
    if (mustParse && parse(account) === null) continue
    const refusal = writer.write(account)
    if (refusal) throw new Unwritable({ ...refusal, text: solanaErrorText(refusal) })
    yield { key: account.pubkey, record: takeRecord(writer) }
  }
}

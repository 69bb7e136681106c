import type { HeardSlots } from '../../core/solana/slots/heard-slots.ts'
import type { VerifiedSlots } from '../../core/solana/slots/verified-slots.ts'
import type { AccountStore } from '../../ports/account-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { Upstream } from '../../upstream/node/upstream.ts'
import { readBlocks } from './account-index-blocks.ts'
import type { ChangeQueue } from './account-index-changes.ts'
import { scanProgram } from './account-index-scan.ts'
import type { IndexSession } from './account-index-session.ts'

export type PassParts = {
  clock: Clock
  store: AccountStore
  service: NetworkService
  heard: HeardSlots
  changes: ChangeQueue
  signal: AbortSignal
}

export type IndexedProgram = {
  program: Uint8Array
  text: string
  verified: VerifiedSlots
  /** Everything was read since the connection was opened, so only changes are left to know. */
  isBackfilled: boolean
  accounts: number
  /** Upstreams that were asked since one of them answered last. */
  tried: Upstream[]
}

export type PassKind = 'full' | 'keys'

export type VerificationPass =
  /** `busyMs` is what it took, without what was waited for. */
  | { kind: 'verified'; slot: number; differing: number; closed: number; busyMs: number }
  /** Nothing is known that was not before; what is known stays right. */
  | { kind: 'failed'; reason: string }

/** A node that has shown a slot a moment ago may ask another for its blocks, which lags. */
const BLOCKS_ATTEMPTS_MAX = 4
const BLOCKS_RETRY_MS = 400

/**
 * Makes sure of what is held, at one slot: all accounts are read, or all but their data. After
 * it, what is held at that slot is what the node held, account by account.
 */
export async function runPass(
  parts: PassParts,
  session: IndexSession,
  state: IndexedProgram,
  kind: PassKind,
): Promise<VerificationPass> {
  const { clock, heard, changes } = parts
  const takenAtMs = clock.monotonicMs()
  const slotMin = Math.max(session.completeAfterSlot ?? 0, state.verified.newest?.slot ?? 0)
  const request = {
    program: state.program,
    hasData: kind === 'full',
    slotMin,
    signal: parts.signal,
  }
  const scan = await scanProgram(parts, request, state.tried)
  if (scan.kind === 'refused') return failed(`refused_${scan.code}`)
  if (scan.kind === 'unusable') return failed(scan.reason)
  state.tried.length = 0
  const scanMs = clock.monotonicMs() - takenAtMs
  if (scan.slot < slotMin) return failed('behind')

  // A change of that slot may still be on its way, and would be taken for a difference.
  if (!(await session.waitForSlotAfter(scan.slot))) return failed('not_heard')
  const unixTimestamp = heard.timeAt(scan.slot)
  if (unixTimestamp === null) return failed(ended(session, 'gap'))
  await changes.drained()
  const fault = kind === 'keys' ? await blockFault(parts, session, state, scan.slot) : null
  if (fault !== null) return failed(fault)

  const mergedFromMs = clock.monotonicMs()
  const { differing, closed } = await mergeAll(parts, scan.slot)
  const busyMs = scanMs + clock.monotonicMs() - mergedFromMs
  // A connection that was lost meanwhile may have kept something back.
  if (!(await session.waitForSlotAfter(scan.slot))) return failed('connection_lost')
  if (kind === 'keys' && differing > 0) {
    state.isBackfilled = false
    return failed('differs')
  }
  state.isBackfilled = true
  state.accounts = scan.count
  state.verified.add({ slot: scan.slot, unixTimestamp, takenAtMs })
  return { kind: 'verified', slot: scan.slot, differing, closed, busyMs }
}

/** Why what was heard up to this slot cannot be relied on; null: nothing is missing. */
async function blockFault(
  { clock, service, heard, signal }: PassParts,
  session: IndexSession,
  { verified }: IndexedProgram,
  slot: number,
): Promise<string | null> {
  // From the last verified slot on, that one included: it is what everything since builds on.
  const from = verified.newest?.slot ?? slot
  for (let attempt = 1; attempt <= BLOCKS_ATTEMPTS_MAX && !signal.aborted; attempt++) {
    const blocks = await readBlocks(service, from, slot, 'confirmed')
    if (blocks?.includes(slot)) {
      if (heard.missing(blocks, from, slot) !== null) return ended(session, 'gap')
      const dropped = heard.dropped(blocks, from, slot)
      if (dropped === null) return null
      verified.dropFrom(dropped)
      return ended(session, 'slot_dropped')
    }
    await clock.sleep(BLOCKS_RETRY_MS)
  }
  return 'no_blocks'
}

async function mergeAll({ store, signal }: PassParts, slot: number) {
  let after: Uint8Array | null = null
  let differing = 0
  let closed = 0
  do {
    const step = await store.merge(slot, after)
    after = signal.aborted ? null : step.after
    differing += step.differing
    closed += step.closed
  } while (after !== null)
  return { differing, closed }
}

function failed(reason: string): VerificationPass {
  return { kind: 'failed', reason }
}

/** Whatever it is that was missed, everything must be read again. */
function ended(session: IndexSession, reason: string): string {
  session.end(reason)
  return reason
}

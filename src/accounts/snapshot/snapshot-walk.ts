import { Failure } from '../../core/errors.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import { refusesFullAnswer } from '../../core/solana/request/refuses-full-answer.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { World } from '../../ports/world.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { pick, TIER_MAX } from '../../upstream/pool/selection.ts'
import type { LogRoom } from '../record-log/byte-log.ts'
import { scanKeysFirst } from '../scan/keys-first.ts'
import type { ScanSemaphore } from '../scan/scan-semaphore.ts'
import { scanUpstream } from '../scan/scan-upstream.ts'
import { type Found, poolCall, type Scanned, type Scanning } from '../scan/scanning.ts'
import { upstreamNamed } from '../scan/sorted-upstreams.ts'
import type { Holding } from './walk-shares.ts'

/** Questions that nodes did not answer as a whole of late. */
export type Refusals = { has(fingerprint: string): boolean; add(fingerprint: string): void }

type WalkTools = { room: LogRoom; lanes: ScanSemaphore; refusals: Refusals }

type Refused = Extract<Scanned, { kind: 'refused' }>

/** The accounts of one program at one moment, read once for all who ask the same. */
export type SnapshotWalk = ReturnType<typeof startWalk>

/** Longer than any node takes that still sends something. */
const SCAN_MS_MAX = 600_000

type Way = 'whole' | 'keys_first'

/** Begins a scan. `over` is called when nothing more will come of it, good or bad. */
export function startWalk(
  { clock, telemetry }: World,
  { room, lanes, refusals }: WalkTools,
  service: NetworkService,
  call: ProgramAccountsCall,
  {
    id,
    fingerprint,
    holding,
    over,
  }: { id: string; fingerprint: string; holding: Holding; over: () => void },
) {
  const abort = new AbortController()
  const { promise: begun, resolve, reject } = Promise.withResolvers<Found | Refused>()
  // The callers who wait for it are told; at times nobody does any more.
  begun.catch(() => {})
  let found: Found | null = null
  let isOver = false
  const show = (shown: Found) => {
    found = shown
    resolve(shown)
  }
  const scanning: Scanning = { clock, room, service, call, signal: abort.signal, show }

  const run = async () => {
    const leave = await lanes.enter(service.network.id, holding.teams)
    const stopTimer = clock.after(SCAN_MS_MAX, () => abort.abort())
    const startedAtMs = clock.monotonicMs()
    try {
      if (abort.signal.aborted) throw new Failure('upstream_timed_out')
      const { scanned, way } = await scan(refusals, scanning, fingerprint)
      note(telemetry, scanning, scanned, way, clock.monotonicMs() - startedAtMs)
      if (scanned.kind === 'whole') show(scanned.found)
      else if (scanned.kind === 'refused') resolve(scanned)
      else reject(scanned.failure)
    } finally {
      stopTimer()
      leave()
    }
  }
  const ended = () => {
    isOver = true
    over()
  }
  const failed = (thrown: unknown) => {
    // Where readers were told that it broke off, nobody else would hear of a bug.
    if (!(thrown instanceof Failure)) telemetry.count('headgate_bugs_total', {})
    reject(thrown)
  }
  run().catch(failed).finally(ended)

  return {
    id,
    /** The network and the question, to which its page keys are bound. */
    fingerprint,
    holding,
    /** Resolves as soon as there is something to read; throws a Failure when there will not be. */
    begun,
    /** Null before there is something to read. */
    get found() {
      return found
    },
    get isOver() {
      return isOver
    },
    readers: 0,
    /** No page key that names it lives longer; zero while there is none. */
    keptUntilMs: 0,
    usedAtMs: clock.nowMs(),
    cancel: () => abort.abort(),
  }
}

/** All at once from one node or else another; where none gives that, the keys first. */
async function scan(
  refusals: Refusals,
  scanning: Scanning,
  fingerprint: string,
): Promise<{ scanned: Scanned; way: Way }> {
  const { signal } = scanning
  const first = refusals.has(fingerprint) ? null : await scanWhole(scanning)
  if (first !== null && (signal.aborted || !mayComeInParts(first))) {
    return { scanned: first, way: 'whole' }
  }
  const parts = await scanKeysFirst(scanning)
  if (parts.kind === 'whole') refusals.add(fingerprint)
  // A node's words on the question as a whole tell more than that it refuses a part as well.
  return first !== null && mayComeInParts(parts)
    ? { scanned: first, way: 'whole' }
    : { scanned: parts, way: 'keys_first' }
}

async function scanWhole(scanning: Scanning): Promise<Scanned> {
  const { service, signal } = scanning
  const first = await scanUpstream(scanning, 'records', 'any')
  if (signal.aborted || !mayComeInParts(first) || first.upstream === null) return first
  const tried = upstreamNamed(service, first.upstream)
  const routed = poolCall(service, 'getProgramAccounts', '[]')
  const other = pick(service.pool.selection, routed, tried ? [tried] : [], TIER_MAX.answering)
  if (other === null) return first
  const second = await scanUpstream(scanning, 'records', other)
  return second.kind === 'broken' && !second.wasShown ? first : second
}

/** Not whole, and nothing of it was shown: another way may do better. */
function mayComeInParts(scanned: Scanned): scanned is Exclude<Scanned, { kind: 'whole' }> {
  if (scanned.kind === 'whole') return false
  if (scanned.kind === 'refused')
    return refusesFullAnswer(scanned.error.code, scanned.error.message)
  // Where the disk is full, less data would only fill it again.
  return !scanned.wasShown && scanned.failure.code !== 'spill_failed'
}

function note(
  telemetry: Telemetry,
  { service, call, signal }: Scanning,
  scanned: Scanned,
  way: Way,
  tookMs: number,
): void {
  const network = service.network.id
  const failed = signal.aborted ? 'cancelled' : scanned.kind
  const outcome = scanned.kind === 'whole' ? way : failed
  telemetry.count('headgate_account_scans_total', { network, outcome })
  const found = scanned.kind === 'whole' ? scanned.found : null
  telemetry.log('info', 'accounts_scan', {
    network,
    program: call.programText,
    outcome,
    reason: scanned.kind === 'broken' ? reasonOf(scanned.failure) : null,
    upstream: found?.upstream ?? (scanned.kind === 'whole' ? null : scanned.upstream),
    slot: found?.context.slot?.toString() ?? null,
    records: found?.log.count ?? 0,
    bytes: found?.log.bytes ?? 0,
    ms: Math.round(tookMs),
  })
}

function reasonOf({ code, facts }: Failure): string {
  return typeof facts.reason === 'string' ? facts.reason : code
}

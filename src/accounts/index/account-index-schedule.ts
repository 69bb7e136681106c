import { Failure } from '../../core/errors.ts'
import { openVerifiedSlots } from '../../core/solana/slots/verified-slots.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { IndexedProgram, PassKind, VerificationPass } from './account-index-pass.ts'

export type ScheduledProgram = IndexedProgram & {
  dueAtMs: number
  /** When all accounts were last read. */
  fullAtMs: number
  /** From the begin of the last pass to that of the next. */
  periodMs: number
  failuresInARow: number
  lastFault: string | null
}

/** Now and then everything is compared, in case something was missed that nobody thought of. */
const FULL_EVERY_MS = 6 * 3_600_000

/** Closed accounts are looked for so often, but for no more than a tenth of the time. */
const WAIT_MS_MIN = 2_500
const KEYS_WAIT_FACTOR = 9
/** After all accounts were read again, nodes rest for at least as long as that took. */
const FULL_WAIT_FACTOR = 1
const FAILED_WAIT_MS_MAX = 60_000

export function newProgram(
  { program, text }: { program: Uint8Array; text: string },
  keepMs: number,
  nowMs: number,
): ScheduledProgram {
  return {
    program,
    text,
    verified: openVerifiedSlots(keepMs),
    isBackfilled: false,
    accounts: 0,
    tried: [],
    dueAtMs: nowMs,
    fullAtMs: Number.NEGATIVE_INFINITY,
    periodMs: 0,
    failuresInARow: 0,
    lastFault: null,
  }
}

/** Everything is read while not all changes are told since it was last read. */
export function nextKind(state: ScheduledProgram, nowMs: number): PassKind {
  return state.isBackfilled && nowMs - state.fullAtMs < FULL_EVERY_MS ? 'keys' : 'full'
}

export function notePass(
  state: ScheduledProgram,
  kind: PassKind,
  pass: VerificationPass,
  startedAtMs: number,
  nowMs: number,
): void {
  const isGood = pass.kind === 'verified'
  const factor = kind === 'keys' ? KEYS_WAIT_FACTOR : FULL_WAIT_FACTOR
  const busyMs = isGood ? pass.busyMs : nowMs - startedAtMs
  const restMs = Math.max(WAIT_MS_MIN, busyMs * factor)
  const failedMs = Math.min(FAILED_WAIT_MS_MAX, WAIT_MS_MIN * 2 ** state.failuresInARow)
  state.failuresInARow = isGood ? 0 : state.failuresInARow + 1
  state.dueAtMs = nowMs + (isGood ? restMs : Math.max(restMs, failedMs))
  if (!isGood) state.lastFault = pass.reason
  if (!isGood) return
  state.periodMs = state.dueAtMs - startedAtMs
  if (kind === 'full') state.fullAtMs = nowMs
}

export function logPass(
  telemetry: Telemetry,
  network: string,
  state: ScheduledProgram,
  pass: VerificationPass,
  wasBackfilled: boolean,
): void {
  const { text: program, accounts } = state
  if (pass.kind === 'failed') {
    const isNews = wasBackfilled || state.failuresInARow === 1
    const fields = { network, program, reason: pass.reason }
    if (isNews) telemetry.log('warn', 'account_index_pass_failed', fields)
    return
  }
  const { slot, differing, closed } = pass
  if (!wasBackfilled)
    telemetry.log('info', 'account_index_live', { network, program, slot, accounts })
  else if (differing > 0) {
    telemetry.log('error', 'account_index_drift', { network, program, slot, differing, closed })
  }
}

export function brokenPass(
  telemetry: Telemetry,
  network: string,
  thrown: unknown,
): VerificationPass {
  if (thrown instanceof Failure) return { kind: 'failed', reason: thrown.code }
  logFailure(telemetry, network, thrown)
  return { kind: 'failed', reason: 'bug' }
}

export function logFailure(telemetry: Telemetry, network: string, thrown: unknown): void {
  const reason = thrown instanceof Error ? thrown.message : 'unknown'
  telemetry.log('warn', 'account_index_failed', { network, reason })
}

import { Failure } from '../../core/errors.ts'

type Fault = {
  error: Error
  isConnectionLost: boolean
}

/** Classes of SQLSTATE, and single ones, for which the server or the way to it is at fault. */
const UNAVAILABLE = /^(08|53|57|58|XX|25006|28|3D000)/

/** The connection stays usable after these. A read-only server (25006) is no longer the primary. */
const STATEMENT_ALONE = /^(57014|53100|53200)/

/** A pooler refuses the settings of our sessions; its code for that, 08P01, has many meanings. */
const POOLER = /^unsupported startup parameter/

/** The transaction lost to another that ran at the same time, and can be run again. */
const LOST_RACE = /^(40001|40P01)$/

/**
 * The words of the server or the client, without what was stored: details name values. Errors of
 * the client itself, which speak of the connection, have codes of letters.
 */
export function postgresFault(thrown: unknown): Fault {
  if (!(thrown instanceof Error)) return { error: new Error('no error'), isConnectionLost: true }
  const code = codeOf(thrown)
  if (code === null) return { error: thrown, isConnectionLost: false }
  if (POOLER.test(thrown.message)) {
    const facts = { code: 'UNSUPPORTED_STARTUP_PARAMETER' }
    return { error: new Failure('database_unavailable', facts, thrown), isConnectionLost: true }
  }
  const isState = /^[0-9A-Z]{5}$/.test(code)
  if (!isState || UNAVAILABLE.test(code)) {
    return {
      error: new Failure('database_unavailable', { code }, thrown),
      isConnectionLost: !isState || !STATEMENT_ALONE.test(code),
    }
  }
  return { error: new PostgresError(code, thrown.message), isConnectionLost: false }
}

export function isLostRace(thrown: unknown): boolean {
  return thrown instanceof PostgresError && LOST_RACE.test(thrown.state)
}

class PostgresError extends Error {
  override readonly name = 'PostgresError'
  readonly state: string

  constructor(state: string, message: string) {
    super(message)
    this.state = state
  }
}

function codeOf(thrown: Error): string | null {
  if ('errno' in thrown && typeof thrown.errno === 'string') return thrown.errno
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null
}

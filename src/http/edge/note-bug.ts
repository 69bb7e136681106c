import { Rejection } from '../../core/errors.ts'
import { rejectionReply } from '../../core/rpc/jsonrpc.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

/** Notes a bug of ours: what it is called and where it happened, and nothing of the request. */
export function noteBug(telemetry: Pick<Telemetry, 'log' | 'count'>, bug: unknown): void {
  const name = bug instanceof Error ? bug.name : 'unknown'
  const at = bug instanceof Error ? (bug.stack ?? '').split('\n').slice(1, 4).join(' ') : ''
  telemetry.log('error', 'bug', { name, at: at.replace(/\s+/g, ' ').slice(0, 500) })
  telemetry.count('headgate_bugs_total', {})
}

/** A bug of ours ends one request, not the service: hostile input must not find an off switch. */
export function bugReply(telemetry: Telemetry, bug: unknown): Response {
  noteBug(telemetry, bug)
  return new Response(rejectionReply('null', new Rejection('upstream_failed', 'Internal error.')), {
    status: 500,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
  })
}

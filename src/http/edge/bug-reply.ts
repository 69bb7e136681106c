import { Rejection } from '../../core/errors.ts'
import { rejectionReply } from '../../core/rpc/jsonrpc.ts'
import { noteBug, type Telemetry } from '../../ports/telemetry.ts'

/** A bug of ours ends one request, not the service: hostile input must not find an off switch. */
export function bugReply(telemetry: Telemetry, bug: unknown): Response {
  noteBug(telemetry, bug)
  return new Response(rejectionReply('null', new Rejection('upstream_failed', 'Internal error.')), {
    status: 500,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
  })
}

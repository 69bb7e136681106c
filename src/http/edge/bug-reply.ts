import { Rejection } from '../../core/errors.ts'
import { rejectionReply } from '../../core/rpc/jsonrpc.ts'
import { noteBug, type Telemetry } from '../../ports/telemetry.ts'

/** An exception in our own code fails one request, never the process, whatever a caller sends. */
export function bugReply(telemetry: Telemetry, bug: unknown): Response {
  noteBug(telemetry, bug)
  return new Response(rejectionReply('null', new Rejection('upstream_failed', 'Internal error.')), {
    status: 500,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
  })
}

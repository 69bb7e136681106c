import { Rejection } from '../../core/errors.ts'
import { rejectionReply } from '../../core/rpc/jsonrpc.ts'
import { refusalReply } from './calls/api-reply.ts'

const NO_GATEWAY = 'This process serves no JSON-RPC: it does not have the role gateway.'
const NO_API = 'This process serves no management API: it does not have the role api.'

export function absentGatewayRole(): Response {
  const rejection = new Rejection('not_found', NO_GATEWAY)
  return new Response(rejectionReply('null', rejection), {
    status: rejection.httpStatus,
    headers: { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' },
  })
}

export function absentApiRole(): Response {
  return refusalReply(new Rejection('not_found', NO_API))
}

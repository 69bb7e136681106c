import { edgeRefusal } from '../../core/access/access-rules.ts'
import { Failure, Rejection } from '../../core/errors.ts'
import { type AppDirectory, type Caller, unknownKey } from '../../gateway/app-directory.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { RpcTarget } from '../edge/request-target.ts'
import type { Addressed, JwtCallers } from './jwt-callers.ts'

export type CallerNeeds = { directory: AppDirectory; jwtCallers: JwtCallers }

/** Pages cannot set headers of a WebSocket, but name protocols: one of them may carry a token. */
const TOKEN_PROTOCOL = 'headgate.jwt.'

/**
 * The key in the path, or the key or the JSON Web Token of a header; empty where there is none. A
 * key in the path is enough, and the headers, which may be for a proxy in front, are not looked at.
 */
export function credentialOf({ headers }: Request, { key }: RpcTarget): string {
  // A token does not count in a path, for paths are written into logs. No key has a dot.
  if (key !== '') return key.includes('.') ? '' : key
  return bearer(headers) || offeredToken(headers)
}

/** The caller behind a credential. Hot path: no promise for one seen before. */
export function findCaller(
  needs: CallerNeeds,
  credential: string,
  client: Addressed,
): Caller | Rejection | Promise<Caller | Rejection> {
  if (credential === '') return unknownKey()
  const found = credential.includes('.')
    ? needs.jwtCallers.find(credential, client)
    : needs.directory.find(credential)
  return found instanceof Promise ? found.catch(keyUnchecked) : found
}

export function unknownNetwork(slug: string): Rejection {
  const text =
    slug === ''
      ? 'Name the network: POST /<network>/v2/<key>, or use the host <network>.<domain>.'
      : 'There is no such network here; GET /api/networks lists them, with a token.'
  return new Rejection('unknown_network', text)
}

export function authorize(
  needs: { publicUrl: string },
  caller: Caller,
  service: NetworkService,
): Rejection | null {
  if (caller.isDemo) return null
  if (!caller.app.isActive) return new Rejection('app_inactive', 'App is inactive.')
  const { id } = service.network
  if (caller.app.networks.includes(id)) return null
  return new Rejection(
    'network_not_enabled',
    `${id} is not enabled for this app. Visit this page to enable the network: ${needs.publicUrl}/apps/${caller.app.id}`,
  )
}

/** The reason why an app's callers may not come from there, asked before a body; null: they may. */
export function refuseAtEdge(
  { rules }: Caller,
  { headers }: Request,
  client: Addressed,
): Rejection | null {
  if (rules === null) return null
  return edgeRefusal(rules, { origin: headers.get('origin'), address: () => client.address() })
}

function keyUnchecked(thrown: unknown): Rejection {
  if (!(thrown instanceof Failure)) throw thrown
  return new Rejection('upstream_failed', 'The key could not be checked; please try again.')
}

function bearer(headers: Headers): string {
  const header = headers.get('authorization') ?? ''
  return /^bearer /i.test(header) ? header.slice(7).trim() : ''
}

function offeredToken(headers: Headers): string {
  const offered = headers.get('sec-websocket-protocol')?.split(',') ?? []
  const carrier = offered.map((one) => one.trim()).find((one) => one.startsWith(TOKEN_PROTOCOL))
  return carrier?.slice(TOKEN_PROTOCOL.length) ?? ''
}

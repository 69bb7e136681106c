import { edgeRefusal } from '../../core/access/access-rules.ts'
import { Failure, Rejection } from '../../core/errors.ts'
import type { AppDirectory } from '../../gateway/app-directory.ts'
import type { Caller } from '../../gateway/read-caller.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { RpcTarget } from '../edge/request-target.ts'
import type { JwtCallers } from './jwt-callers.ts'

export type AdmitNeeds = { directory: AppDirectory; jwtCallers: JwtCallers; publicUrl: string }

type AddressedClient = { address(): string }

/**
 * Who calls: by the key in the path, or by the key or the JSON Web Token in `Authorization`. A key
 * in the path is enough, and then the header is not looked at: it may be for a proxy in front.
 */
export function findCaller(
  needs: AdmitNeeds,
  request: Request,
  target: RpcTarget,
  client: AddressedClient,
): Caller | Rejection | Promise<Caller | Rejection> {
  const credential = target.key !== '' ? target.key : bearer(request)
  if (credential === '') return new Rejection('unauthorized', 'Must be authenticated!')
  // No key has a dot. A token counts in the header alone, for paths are written into logs.
  const isJwt = target.key === '' && credential.includes('.')
  const found = isJwt
    ? needs.jwtCallers.find(credential, client.address)
    : needs.directory.find(credential)
  return found instanceof Promise ? found.catch(keyUnchecked) : found
}

/** The reason why a caller may not come so, whatever it asks; null when it may. */
export function admitCaller(
  needs: Pick<AdmitNeeds, 'publicUrl'>,
  caller: Caller,
  service: NetworkService,
  request: Request,
  client: AddressedClient,
): Rejection | null {
  if (caller.isDemo) return null
  const { app, rules } = caller
  if (!app.isActive) return new Rejection('app_inactive', 'App is inactive.')
  const { id } = service.network
  if (!app.networks.includes(id)) {
    return new Rejection(
      'network_not_enabled',
      `${id} is not enabled for this app. Visit this page to enable the network: ${needs.publicUrl}/apps/${app.id}`,
    )
  }
  if (rules === null) return null
  return edgeRefusal(rules, { origin: request.headers.get('origin'), address: client.address })
}

function keyUnchecked(thrown: unknown): Rejection {
  if (!(thrown instanceof Failure)) throw thrown
  return new Rejection('upstream_failed', 'The key could not be checked; please try again.')
}

function bearer(request: Request): string {
  const header = request.headers.get('authorization') ?? ''
  return /^bearer /i.test(header) ? header.slice(7).trim() : ''
}

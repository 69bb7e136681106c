import { isIPv6 } from 'node:net'
import { CENTI_PER_CU } from '../core/billing/plan.ts'
import { neverProven } from '../core/chain/proof/verify-forms.ts'
import { fieldName, type JsonPath } from '../core/json/json-value.ts'
import { defaultSlug } from '../core/network.ts'
import { matchesMethod } from '../core/rpc/method-access.ts'
import { methodRows } from '../core/rpc/method-table.ts'
import type { SchemaFault } from '../core/schema/check-schema.ts'
import { parseNatsServers } from '../core/servers/parse-nats-servers.ts'
import { postgresServers } from '../core/servers/postgres-servers.ts'
import type { BudgetValues } from './budget-schema.ts'
import type { NetworkValues, UpstreamValues } from './config-network-schema.ts'
import type { ConfigValues } from './config-schema.ts'

const PORT_MAX = 65_535

/** First parts of our own paths; a network of this name could not be reached, or would hide one. */
const RESERVED_SLUGS = new Set([
  'api',
  'assets',
  'docs',
  'healthz',
  'metrics',
  'readyz',
  'settings',
  'v2',
])

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** All of them are asked when the one in use fails. */
const POSTGRES_SERVERS_MAX = 16

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full']

const FOR_EVM = 'is only for evm networks'
const FOR_SOLANA = 'is only for solana networks'

/** Checks the rules that a schema cannot say, on values that have passed it. */
export function checkValues(
  values: ConfigValues,
  networks: readonly NetworkValues[],
  platform: string,
): SchemaFault[] {
  return [
    ...checkListen(values.listen, ['listen']),
    ...checkListen(values.metrics.listen, ['metrics', 'listen']),
    ...checkPublicUrl(values.publicUrl),
    ...checkStore(values),
    ...checkNats(values),
    ...checkWorkers(values.gateway.workers, platform),
    ...repeats(
      networks.map(({ id }) => id),
      (at) => ['networks', at, 'id'],
    ),
    ...repeats(networks.map(slugOf), (at) => ['networks', at, 'slug']),
    ...networks.flatMap((network, at) => checkNetwork(network, ['networks', at])),
    ...checkBudgets(networks),
    ...checkPrices(values),
  ]
}

function checkListen(text: string | undefined, path: JsonPath): SchemaFault[] {
  if (text === undefined || parseListen(text)) return []
  return fault(path, 'must be host:port or [IPv6]:port, such as 127.0.0.1:8080')
}

/** `127.0.0.1:8080`, `localhost:0` or `[::1]:8080`. */
export function parseListen(text: string) {
  const found = /^(?:\[([^\]]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text)
  if (!found) return undefined
  const [, ipv6, name, digits] = found
  const port = Number(digits)
  if (port > PORT_MAX || (ipv6 !== undefined && !isIPv6(ipv6))) return undefined
  return { host: ipv6 ?? name!, port }
}

export function slugOf(network: NetworkValues): string {
  return network.slug ?? defaultSlug(network.id)
}

/** Many processes read what each other has sealed. */
function checkStore({ database, secret, postgres }: ConfigValues): SchemaFault[] {
  if (database === undefined) return []
  return [
    ...checkPostgres(database, ['database']),
    ...checkPostgres(postgres.directUrl, ['postgres', 'directUrl']),
    ...(secret === undefined
      ? fault(['secret'], 'is required with database, and must be the same in every process')
      : []),
  ]
}

/** With an unknown sslmode, the client would connect without TLS. */
function checkPostgres(address: string | undefined, path: JsonPath): SchemaFault[] {
  const servers = address === undefined ? [] : postgresServers(address)
  if (servers.length > POSTGRES_SERVERS_MAX) {
    return fault(path, `must name at most ${POSTGRES_SERVERS_MAX} hosts`)
  }
  return servers.flatMap((server) => checkPostgresServer(server, path)).slice(0, 1)
}

function checkPostgresServer(address: string, path: JsonPath): SchemaFault[] {
  const faults = checkAddress(address, /^postgres(ql)?:$/, 'a postgres', path)
  if (faults.length > 0) return faults
  const { hostname, pathname, searchParams } = new URL(address)
  if (hostname === '') return fault(path, 'must name a host, or several with commas between them')
  if (pathname.length < 2) return fault(path, 'must name a database after the host')
  const mode = searchParams.get('sslmode')
  if (mode === null || SSL_MODES.includes(mode)) return []
  return fault(path, `must have one of ${SSL_MODES.join(', ')} as sslmode`)
}

/** The addresses may hold credentials, so nothing of them is repeated. */
function checkNats(values: ConfigValues): SchemaFault[] {
  const { nats, natsCredentials } = values
  if (nats === undefined) {
    const files = (['natsCredentials', 'natsCa'] as const).filter((name) => values[name])
    return files.flatMap((name) => fault([name], 'is only for nats, which is not given'))
  }
  const servers = parseNatsServers(nats)
  if (typeof servers === 'string') return fault(['nats'], servers)
  if (natsCredentials !== undefined && servers.some(({ login }) => login)) {
    return fault(['natsCredentials'], 'cannot be used: nats has credentials of its own')
  }
  if (values.database !== undefined) return []
  return fault(['nats'], 'is only for database, which is not given: one process needs no hints')
}

/** Elsewhere the system gives all connections to one of the listeners, or refuses the second. */
function checkWorkers(workers: number | 'auto', platform: string): SchemaFault[] {
  if (workers === 'auto' || workers === 1 || platform === 'linux') return []
  return fault(['gateway', 'workers'], 'must be 1 or auto: only Linux shares a port evenly')
}

function checkPublicUrl(text: string | undefined): SchemaFault[] {
  if (text === undefined) return []
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    return fault(['publicUrl'], 'must be an http or https address')
  }
  const bare = url.pathname === '/' && url.search + url.hash + url.username + url.password === ''
  return bare ? [] : fault(['publicUrl'], 'must be a scheme, a host and a port, nothing more')
}

function repeats(names: readonly string[], pathAt: (at: number) => JsonPath): SchemaFault[] {
  const firstAt = new Map<string, number>()
  return names.flatMap((name, at) => {
    const first = firstAt.get(name)
    firstAt.set(name, first ?? at)
    if (first === undefined) return []
    return fault(pathAt(at), `repeats ${name}, which ${fieldName(pathAt(first))} has already`)
  })
}

function checkNetwork(network: NetworkValues, path: JsonPath): SchemaFault[] {
  const { id, kind, chainId, genesisHash, verify, upstreams } = network
  const slug = slugOf(network)
  const never = chainId === undefined ? null : neverProven(chainId)
  const isProven = verify === 'receipts'
  const when = (isWrong: boolean, option: string, said: string) =>
    isWrong ? fault([...path, option], said) : []
  return [
    ...when(RESERVED_SLUGS.has(slug), 'slug', `must not be ${slug}: a path of ours has that name`),
    ...when(!SLUG.test(slug), 'slug', `is required, as ${id} cannot stand in a URL`),
    ...when(kind === 'evm' && chainId === undefined, 'chainId', 'is required for an evm network'),
    ...when(kind === 'evm' && genesisHash !== undefined, 'genesisHash', FOR_SOLANA),
    ...when(kind === 'solana' && chainId !== undefined, 'chainId', FOR_EVM),
    ...checkRouting(network, path),
    ...when(isProven && never !== null, 'verify', `must not be receipts on this chain: ${never}`),
    ...when(isProven && kind === 'solana', 'verify', FOR_EVM),
    ...repeats(
      upstreams.map(({ name }) => name),
      (at) => [...path, 'upstreams', at, 'name'],
    ),
    ...upstreams.flatMap((upstream, at) => checkUpstream(upstream, [...path, 'upstreams', at])),
  ]
}

/** The addresses may hold credentials, so nothing of them is repeated. */
function checkUpstream(upstream: UpstreamValues, path: JsonPath): SchemaFault[] {
  const faults = checkAddress(upstream.url, /^https?:$/, 'an http or https', [...path, 'url'])
  if (upstream.ws === undefined) return faults
  return [...faults, ...checkAddress(upstream.ws, /^wss?:$/, 'a ws or wss', [...path, 'ws'])]
}

function checkAddress(
  address: string,
  protocols: RegExp,
  form: string,
  path: JsonPath,
): SchemaFault[] {
  const url = URL.parse(address)
  if (!url || !protocols.test(url.protocol)) return fault(path, `must be ${form} address`)
  try {
    decodeURIComponent(url.username)
    decodeURIComponent(url.password)
    return []
  } catch {
    return fault(path, 'must have a user and password with each % written as %25')
  }
}

/** Finer prices than a hundredth would be rounded in silence. */
function checkPrices(values: ConfigValues): SchemaFault[] {
  return Object.entries(values.prices).flatMap(([method, price]) =>
    Object.entries(price)
      .filter(([, cu]) => Math.abs(cu * CENTI_PER_CU - Math.round(cu * CENTI_PER_CU)) > 1e-6)
      .flatMap(([name]) => fault(['prices', method, name], 'must have at most two decimals')),
  )
}

/** Upstreams that share an account have one budget, so all of them must say the same. */
function checkBudgets(networks: readonly NetworkValues[]): SchemaFault[] {
  const first = new Map<string, { path: JsonPath; limits: string }>()
  return networks.flatMap(({ upstreams }, at) =>
    upstreams.flatMap(({ budget }, upstreamAt): SchemaFault[] => {
      if (budget?.account === undefined) return []
      const path = ['networks', at, 'upstreams', upstreamAt, 'budget']
      const limits = limitsOf(budget)
      const known = first.get(budget.account)
      if (!known) first.set(budget.account, { path, limits })
      if (!known || known.limits === limits) return []
      const message =
        `${fieldName(path)} must have the limits and the resetDay of ` +
        `${fieldName(known.path)}, which has the same account`
      return [{ path, message }]
    }),
  )
}

function limitsOf({ requestsPerSecond, creditsPerMonth, resetDay }: BudgetValues): string {
  return JSON.stringify([requestsPerSecond, creditsPerMonth, resetDay])
}

function checkRouting(network: NetworkValues, path: JsonPath): SchemaFault[] {
  const { upstreams, kind, broadcast } = network
  const readers = upstreams.filter(({ sendsOnly }) => !sendsOnly).length
  return [
    ...(readers === 0
      ? fault([...path, 'upstreams'], 'must have one that is not sendsOnly, for reads and heads')
      : []),
    ...upstreams.flatMap(({ sendsOnly, ws }, at) =>
      sendsOnly && ws !== undefined
        ? fault([...path, 'upstreams', at, 'ws'], 'is of no use with sendsOnly')
        : [],
    ),
    ...(kind === 'solana' && broadcast > 1 ? fault([...path, 'broadcast'], FOR_EVM) : []),
    ...checkQuorum(network, readers, [...path, 'quorum']),
  ]
}

export function fault(path: JsonPath, said: string): SchemaFault[] {
  return [{ path: [...path], message: `${fieldName(path)} ${said}` }]
}

function checkQuorum(
  { quorum, kind }: NetworkValues,
  readers: number,
  path: JsonPath,
): SchemaFault[] {
  if (quorum === undefined) return []
  const { methods, of, agree } = quorum
  if (of > readers) return fault([...path, 'of'], `is more than the ${readers} upstreams for reads`)
  if (agree > of) return fault([...path, 'agree'], `must be at most of, which is ${of}`)
  if (agree * 2 <= of) return fault([...path, 'agree'], `must be more than half of ${of}`)
  return methods.flatMap((method, at) => {
    const row = methodRows(kind).find(({ name }) => matchesMethod([name], method))
    const isOfTheMoment = row?.depends === 'head' || row?.safety !== undefined
    if (method.endsWith('*') || !isOfTheMoment) return []
    const said = `must not have ${method}: honest nodes answer it differently, or it is no read`
    return fault([...path, 'methods', at], said)
  })
}

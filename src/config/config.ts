import { availableParallelism } from 'node:os'
import { assert } from '../core/errors.ts'
import { isJsonObject, type JsonPath } from '../core/json/json-value.ts'
import { checkSchema, type SchemaFault } from '../core/schema/check-schema.ts'
import { withDefaults } from '../core/schema/with-defaults.ts'
import { parseNatsServers } from '../core/servers/parse-nats-servers.ts'
import { checkValues, parseListen } from './config-checks.ts'
import { applyEnvironment, type Environment, type Override } from './config-environment.ts'
import { type ConfigFile, parseConfigFile, readConfigFile } from './config-file.ts'
import { CONFIG_SCHEMA, type ConfigValues } from './config-schema.ts'
import { locateNetwork, readNetwork } from './read-networks.ts'
import { type ExpandedNetworks, expandVendors } from './vendors/expand-vendors.ts'

/** Everything an operator can set, complete: all defaults are in it. */
export type Settings = ReturnType<typeof toSettings>

type ConfigFault = { where: string; message: string }

/** Why there are no settings. Holds no value of any option, so it may be printed. */
export class ConfigFaults {
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    this.faults = faults
  }

  /** One fault a line, as `headgate.yaml:12: networks[0].chainId must be a whole number`. */
  get text(): string {
    return this.faults.map(({ where, message }) => `${where}: ${message}`).join('\n')
  }
}

type Where = (path: JsonPath) => string

const NETWORKS_MISSING =
  'networks is required: only a start without a configuration file brings networks of its own'

export function readSettings(file?: string): Settings | ConfigFaults {
  return loadSettings({ ...(file === undefined ? {} : { file }), env: process.env })
}

export function loadSettings(input: { file?: string; env: Environment }): Settings | ConfigFaults {
  const fileName = input.file ?? (input.env.HEADGATE_CONFIG || undefined)
  const file = fileName === undefined ? undefined : openFile(fileName)
  if (file instanceof ConfigFaults) return file

  const { value, overrides, faults } = applyEnvironment(CONFIG_SCHEMA, file?.value ?? {}, input.env)
  const where = locator(fileName, file, overrides)
  const wrong = [
    ...faults.map(({ variable, message }) => ({ where: variable, message })),
    ...located(checkSchema(CONFIG_SCHEMA, value), where),
  ]
  if (wrong.length > 0) return new ConfigFaults(wrong)

  const isEmpty = value.networks === undefined && value.upstreams === undefined
  const local = fileName === undefined && isEmpty
  if (!local && isEmpty) {
    return new ConfigFaults([{ where: where(['networks']), message: NETWORKS_MISSING }])
  }
  const values = withDefaults(CONFIG_SCHEMA, local ? forOneMachine(value) : value)
  const expanded = expandVendors(values)
  if (expanded.faults.length > 0) return new ConfigFaults(located(expanded.faults, where))
  const inconsistent = checkValues(values, expanded.networks, process.platform)
  if (inconsistent.length > 0) return new ConfigFaults(located(inconsistent, where))
  return toSettings(values, expanded, local, where)
}

function openFile(name: string): ConfigFile | ConfigFaults {
  const bytes = readConfigFile(name)
  if (typeof bytes === 'string') return new ConfigFaults([{ where: name, message: bytes }])
  const parsed = parseConfigFile(bytes)
  if (!Array.isArray(parsed)) return parsed
  return new ConfigFaults(
    parsed.map(({ line, message }) => ({
      where: line === undefined ? name : `${name}:${line}`,
      message,
    })),
  )
}

/** Says where an option was set: the variable that won, or else the line of the file. */
function locator(
  fileName: string | undefined,
  file: ConfigFile | undefined,
  overrides: readonly Override[],
): Where {
  const deepestFirst = overrides.toSorted((a, b) => b.path.length - a.path.length)
  return (path) => {
    const winner = deepestFirst.find((override) =>
      override.path.every((part, at) => part === path[at]),
    )
    if (winner) return winner.variable
    return file ? `${fileName}:${file.lineOf(path)}` : 'configuration'
  }
}

function located(faults: readonly SchemaFault[], where: Where): ConfigFault[] {
  return faults.map(({ path, message }) => ({ where: where(path), message }))
}

/**
 * The defaults of local development: webhooks to the same machine, a key that works when pasted,
 * and no more processes than are needed.
 */
function forOneMachine(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const webhooks = isJsonObject(value.webhooks) ? value.webhooks : {}
  const gateway = isJsonObject(value.gateway) ? value.gateway : {}
  return {
    demoKey: true,
    ...value,
    webhooks: { allowPrivateDestinations: true, ...webhooks },
    gateway: { workers: 1, ...gateway },
  }
}

function toSettings(
  values: ConfigValues,
  expanded: ExpandedNetworks,
  local: boolean,
  where: Where,
) {
  const { listen, publicUrl, domain, networks: _, upstreams: __, ...named } = values
  const { tiers, gateway, ...others } = named
  const { nats, natsCredentials, natsCa, ...rest } = others
  const address = parseListen(listen)!
  const url = new URL(publicUrl ?? `http://localhost:${address.port}`)
  return {
    ...rest,
    /** Neither a file nor a variable names networks: the embedded ones are to be added. */
    local,
    listen: address,
    /** Scheme, host and port, without a slash at the end. */
    publicUrl: url.origin,
    /** False when `publicUrl` was made from the port of `listen`, which may be 0. */
    publicUrlGiven: publicUrl !== undefined,
    domain: domain ?? url.hostname,
    /** The processes that serve JSON-RPC; with 1 it is this process itself. */
    gateway: { workers: workersOf(gateway.workers, availableParallelism(), process.platform) },
    networks: expanded.networks.map(readNetwork),
    /** Null: hints need no server of their own. */
    nats: natsSettings(nats, natsCredentials, natsCa),
    tiers: new Map(Object.entries(tiers).map(([name, tier]) => [name, { name, ...tier }])),
    /** The place where a network or one of its upstreams was configured: `headgate.yaml:14`. */
    locate: (networkId: string, upstreamName?: string) =>
      locateNetwork(expanded, where, networkId, upstreamName),
    locateOption: (name: string) => where([name]),
  }
}

/** One core is left to the main process, which follows chains, delivers and writes. */
export function workersOf(asked: number | 'auto', cores: number, platform: string): number {
  if (asked !== 'auto') return asked
  return platform === 'linux' ? Math.max(1, cores - 1) : 1
}

/** Null where no servers are configured. */
function natsSettings(
  servers: string | undefined,
  credentialsFile: string | undefined,
  caFile: string | undefined,
) {
  if (servers === undefined) return null
  const parsed = parseNatsServers(servers)
  assert(typeof parsed !== 'string', 'values have been checked')
  return { servers: parsed, credentialsFile, caFile }
}

import { availableParallelism } from 'node:os'
import type { Tier } from '../core/billing/plan.ts'
import { isJsonObject, type JsonPath } from '../core/json/json-value.ts'
import type { Network } from '../core/network.ts'
import { checkSchema, type SchemaFault } from '../core/schema/check-schema.ts'
import { withDefaults } from '../core/schema/with-defaults.ts'
import { checkValues, type ListenAddress, parseListen, slugOf } from './config-checks.ts'
import { applyEnvironment, type Environment, type Override } from './config-environment.ts'
import { type ConfigFile, parseConfigFile, readConfigFile } from './config-file.ts'
import type { NetworkValues } from './config-network-schema.ts'
import { CONFIG_SCHEMA, type ConfigValues } from './config-schema.ts'
import { type NatsSettings, natsSettings } from './nats-settings.ts'

/** Everything an operator can set, complete: all defaults are in it. */
export type Settings = {
  /** Neither a file nor HEADGATE_NETWORKS: the embedded networks are to be added. */
  local: boolean
  listen: ListenAddress
  /** Scheme, host and port, without a slash at the end. */
  publicUrl: string
  /** False when `publicUrl` was made from the port of `listen`, which may be 0. */
  publicUrlGiven: boolean
  domain: string
  networks: readonly Network[]
  /** Null: hints need no server of their own. */
  nats: NatsSettings | null
  tiers: ReadonlyMap<string, Tier>
  /** The processes that serve JSON-RPC; with 1 it is this process itself. */
  gateway: { workers: number }
  /** The place where a network or one of its upstreams was configured: `headgate.yaml:14`. */
  locate(networkId: string, upstreamName?: string): string
  /** The same for an option. */
  locateOption(name: string): string
} & Omit<
  ConfigValues,
  'listen' | 'publicUrl' | 'domain' | 'networks' | 'tiers' | 'gateway' | NatsOption
>

type NatsOption = 'nats' | 'natsCredentials' | 'natsCa'

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

const BLOCK_TIME_MS = { evm: 12_000, solana: 400 }

/** Three polls a block see a new head soon enough; these bounds spare the fast and the slow. */
const HEAD_POLLS_PER_BLOCK = 3
const HEAD_POLL_MS_MIN = 250
const HEAD_POLL_MS_MAX = 4000

/** As in the scripts of package.json. */
const HTTP_REQUESTS_MAX = '16384'

/** Settings from the environment of this process and the file that it or the caller names. */
export function readSettings(file?: string): Settings | ConfigFaults {
  return loadSettings({ ...(file === undefined ? {} : { file }), env: process.env })
}

/** The same with a given environment. */
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

  const local = fileName === undefined && value.networks === undefined
  if (!local && value.networks === undefined) {
    return new ConfigFaults([{ where: where(['networks']), message: NETWORKS_MISSING }])
  }
  const values = withDefaults(CONFIG_SCHEMA, local ? forOneMachine(value) : value)
  const inconsistent = checkValues(values, process.platform)
  if (inconsistent.length > 0) return new ConfigFaults(located(inconsistent, where))
  return toSettings(values, local, where)
}

/**
 * The environment that the runtime has to begin with, which `npm start` gives it: by default it has
 * at most 256 requests in flight, and it looks before any code runs. Null when it has begun so.
 */
export function environmentToRestartWith(): Environment | null {
  const { BUN_CONFIG_MAX_HTTP_REQUESTS: given } = process.env
  return given ? null : { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: HTTP_REQUESTS_MAX }
}

/** Terminals that show no colours, and people who want none, say so by these variables. */
export function mayColour(): boolean {
  return !process.env.NO_COLOR && process.env.TERM !== 'dumb'
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

function toSettings(values: ConfigValues, local: boolean, where: Where): Settings {
  const { listen, publicUrl, domain, networks = [], tiers, gateway, ...others } = values
  const { nats, natsCredentials, natsCa, ...rest } = others
  const address = parseListen(listen)!
  const url = new URL(publicUrl ?? `http://localhost:${address.port}`)
  return {
    ...rest,
    local,
    listen: address,
    publicUrl: url.origin,
    publicUrlGiven: publicUrl !== undefined,
    domain: domain ?? url.hostname,
    gateway: { workers: workersOf(gateway.workers, availableParallelism(), process.platform) },
    networks: networks.map(toNetwork),
    nats: natsSettings(nats, natsCredentials, natsCa),
    tiers: new Map(Object.entries(tiers).map(([name, tier]) => [name, { name, ...tier }])),
    locate: (networkId, upstreamName) => locate(networks, where, networkId, upstreamName),
    locateOption: (name) => where([name]),
  }
}

/** One core is left to the main process, which follows chains, delivers and writes. */
export function workersOf(asked: number | 'auto', cores: number, platform: string): number {
  if (asked !== 'auto') return asked
  return platform === 'linux' ? Math.max(1, cores - 1) : 1
}

function toNetwork(values: NetworkValues): Network {
  const blockTimeMs = values.blockTimeMs ?? BLOCK_TIME_MS[values.kind]
  const pollMs = Math.round(blockTimeMs / HEAD_POLLS_PER_BLOCK)
  return {
    ...values,
    slug: slugOf(values),
    blockTimeMs,
    headPollMs: values.headPollMs ?? clamp(pollMs, HEAD_POLL_MS_MIN, HEAD_POLL_MS_MAX),
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

function locate(
  networks: readonly NetworkValues[],
  where: Where,
  networkId: string,
  upstreamName: string | undefined,
): string {
  const at = networks.findIndex(({ id }) => id === networkId)
  if (at < 0) return 'configuration'
  const upstreams = networks[at]!.upstreams
  const upstreamAt = upstreams.findIndex(({ name }) => name === upstreamName)
  if (upstreamAt < 0) return where(['networks', at])
  // An upstream is what its address makes it, so a variable that set the address is named.
  const upstream = ['networks', at, 'upstreams', upstreamAt]
  const address = where([...upstream, 'url'])
  return address.startsWith('HEADGATE_') ? address : where(upstream)
}

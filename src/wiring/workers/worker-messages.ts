import type { Settings } from '../../config/config.ts'
import type { Tier } from '../../core/billing/plan.ts'
import { isJsonObject } from '../../core/json/json-value.ts'
import type { UsageBatch } from '../../tables/usage/usage.ts'
import {
  type ChainNews,
  readChainNews,
  readObservation,
  type UpstreamObservation,
} from '../../upstream/heads/shared-watch.ts'
import { type CallReport, readCallReports } from '../networks/merge-reports.ts'
import { readUsageBatch } from './read-usage-batch.ts'

/** Settings as they travel: without functions, and without what no worker needs. */
export type WorkerSettings = Omit<
  Settings,
  'tiers' | 'locate' | 'locateOption' | 'secret' | 'operatorToken'
> & { tiers: [name: string, tier: Tier][] }

export type WorkerOpening = {
  settings: WorkerSettings
  /** The port that all workers share. */
  port: number
  publicUrl: string
  filterSecretHex: string
  /** The socket on which the main process serves what workers pass on. */
  socket: string
  /** Paths of the pages that the main process has. */
  pages: readonly string[]
}

export type ToWorker =
  | { kind: 'open'; opening: WorkerOpening }
  | { kind: 'listen' }
  | { kind: 'settings'; id: number; settings: WorkerSettings; pages: readonly string[] }
  | { kind: 'observed'; network: string; seen: readonly UpstreamObservation[] }
  | { kind: 'limits'; frame: string }
  /** Answered with `heard`. */
  | { kind: 'news'; id: number; network: string; news: ChainNews }
  /** All others have heard the news of that id, or enough time has passed. */
  | { kind: 'told'; id: number }
  | { kind: 'signal'; topic: string; text: string }
  | { kind: 'written'; sequence: number }
  | { kind: 'measure'; id: number }
  /** Answered with `reported`. */
  | { kind: 'report'; id: number }
  | { kind: 'stop'; graceMs: number }

export type FromWorker =
  | { kind: 'hello'; version: string }
  | { kind: 'opened' }
  | { kind: 'listening' }
  | { kind: 'reloaded'; id: number }
  | { kind: 'limits'; frame: string }
  | { kind: 'usage'; batch: UsageBatch }
  | { kind: 'news'; id: number; network: string; news: ChainNews }
  | { kind: 'heard'; id: number }
  | { kind: 'poll'; network: string }
  /** The worker's metrics; sent by itself too, as a sign of life, under the id 0. */
  | { kind: 'measured'; id: number; exposition: string }
  | { kind: 'reported'; id: number; networks: readonly CallReport[] }
  | { kind: 'throttled'; network: string; upstream: string; forMs: number }

type Readers = { [Kind in FromWorker['kind']]: (sent: Sent) => FromWorker | null }

type Sent = Record<string, unknown>

const READERS: Readers = {
  hello: ({ version }) => (isText(version) ? { kind: 'hello', version } : null),
  opened: () => ({ kind: 'opened' }),
  listening: () => ({ kind: 'listening' }),
  reloaded: ({ id }) => (isWhole(id) ? { kind: 'reloaded', id } : null),
  limits: ({ frame }) => (isText(frame) ? { kind: 'limits', frame } : null),
  usage({ batch }) {
    const read = readUsageBatch(batch)
    return read && { kind: 'usage', batch: read }
  },
  news({ id, network, news }) {
    const read = readChainNews(news)
    return read && isWhole(id) && isText(network) ? { kind: 'news', id, network, news: read } : null
  },
  heard: ({ id }) => (isWhole(id) ? { kind: 'heard', id } : null),
  poll: ({ network }) => (isText(network) ? { kind: 'poll', network } : null),
  measured: ({ id, exposition }) =>
    isWhole(id) && isText(exposition) ? { kind: 'measured', id, exposition } : null,
  reported({ id, networks }) {
    const read = readCallReports(networks)
    return read && isWhole(id) ? { kind: 'reported', id, networks: read } : null
  },
  throttled({ network, upstream, forMs }) {
    if (!isText(network) || !isText(upstream) || !isWhole(forMs)) return null
    return { kind: 'throttled', network, upstream, forMs }
  },
}

/** The message of a worker; null where it is none of this version's. */
export function readFromWorker(sent: unknown): FromWorker | null {
  if (!isJsonObject(sent)) return null
  const { kind } = sent
  if (!isText(kind) || !Object.hasOwn(READERS, kind)) return null
  return READERS[kind as FromWorker['kind']](sent)
}

/** The message of the main process, which has the same version, or the worker was not opened. */
export function readToWorker(sent: unknown): ToWorker | null {
  if (!isJsonObject(sent) || !isText(sent.kind)) return null
  if (sent.kind !== 'observed') return sent as ToWorker
  const { network, seen } = sent
  if (!isText(network) || !Array.isArray(seen)) return null
  const read = seen.flatMap((one) => readObservation(one) ?? [])
  return { kind: 'observed', network, seen: read }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

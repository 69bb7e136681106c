import type { Settings } from '../../config/config.ts'
import type { Tier } from '../../core/billing/plan.ts'
import { isJsonObject } from '../../core/json/json-value.ts'
import type { UsageBatch } from '../../tables/usage/usage.ts'
import type { ChainNews, UpstreamObservation } from '../../upstream/heads/shared-watch.ts'
import type { CallReport } from '../networks/merge-reports.ts'

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

/** A message between processes of the same version; null for anything else. */
export function readMessage<Message extends FromWorker | ToWorker>(sent: unknown): Message | null {
  return isJsonObject(sent) && typeof sent.kind === 'string' ? (sent as Message) : null
}

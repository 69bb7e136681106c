import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@headgate/client'
import { readClientEnvironment } from '../../config/read-client-environment.ts'
import type { Network } from '../../core/network.ts'
import type { Finding } from './finding.ts'

/** The networks of a Headgate that runs, and what it says itself of its upstreams. */
export type RunningNetworks = { networks: Network[]; findings: Finding[] }

type FirstRunKeys = { url: string; team_token: string; app_key: string }

const HEAD_LAG_MS_MAX = 30_000

/**
 * The networks of the Headgate that was started in this folder, each asked through itself: the
 * addresses of its upstreams are its own secret. Null where there is none, or it does not answer.
 */
export async function networksOfRunning(): Promise<RunningNetworks | null> {
  const keys = keysIn(join(readClientEnvironment().data, 'first-run.json'))
  if (keys === null) return null
  const client = createClient({ url: keys.url, token: keys.team_token })
  try {
    const { data } = await client.call('listNetworks')
    const networks = data.map(({ id, slug, kind, block_time_ms: blockTimeMs }): Network => {
      const url = `${keys.url}/${slug}/v2/${keys.app_key}`
      const ws = url.replace(/^http/, 'ws')
      const limits = {
        priority: 0,
        traces: true,
        concurrencyMax: 1,
        batchMax: 100,
        timeoutMs: 8000,
      }
      const upstreams = [{ name: 'this-headgate', url, ws, ...limits }]
      return {
        id,
        slug,
        kind,
        blockTimeMs,
        headPollMs: 1000,
        headLagMsMax: HEAD_LAG_MS_MAX,
        isLocal: true,
        upstreams,
      }
    })
    const findings = data.flatMap(({ id, upstreams }) =>
      upstreams
        .filter(({ state }) => state === 'excluded')
        .map(({ name, reason, last_fault }): Finding => {
          const why = [reason, last_fault].filter((one) => one !== null).join(', ')
          const text = `is not used: ${why.replaceAll('_', ' ')}.`
          return { level: 'wrong', network: id, upstream: name, text, option: null }
        }),
    )
    return { networks, findings }
  } catch {
    return null
  }
}

function keysIn(file: string): FirstRunKeys | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

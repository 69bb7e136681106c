import { createClient } from '@headgate/client'
import { readClientEnvironment } from '../../config/process-environment.ts'
import type { Network } from '../../core/network.ts'
import { firstRunIn } from '../connect/connection.ts'
import { plainSpec } from '../nodes/chain-of-node.ts'
import type { Finding } from './finding.ts'

export type RunningNetworks = { networks: Network[]; findings: Finding[] }

const HEAD_LAG_MS_MAX = 30_000

/**
 * The networks of the Headgate that was started in this folder, each asked through itself: the
 * addresses of its upstreams are its own secret. Null where there is none, or it does not answer.
 */
export async function networksOfRunning(): Promise<RunningNetworks | null> {
  const { url: base, team_token: token, app_key: key } = firstRunIn(readClientEnvironment().data)
  if (base === undefined || token === undefined) return null
  const client = createClient({ url: base, token })
  try {
    const { data } = await client.call('listNetworks')
    const networks = data.map(({ id, slug, kind, block_time_ms: blockTimeMs }): Network => {
      const url = `${base}/${slug}/v2/${key}`
      const ws = url.replace(/^http/, 'ws')
      const upstream = { ...plainSpec('this-headgate', url), ws, traces: true }
      return {
        id,
        slug,
        kind,
        blockTimeMs,
        headPollMs: 1000,
        headLagMsMax: HEAD_LAG_MS_MAX,
        isLocal: true,
        upstreams: [upstream],
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

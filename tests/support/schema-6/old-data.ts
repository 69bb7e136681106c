import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChainNode } from '../chain-node.ts'
import { startChainNode } from '../chain-node.ts'
import type { LoggedDelivery } from './api.ts'

/** A data folder of version 0.2.0, and what that version said of its deliveries. */
export type OldData = {
  madeAtMs: number
  /** The file, compressed, in base 64. */
  database: string
  secret: string
  firstRun: string
  /** The newest delivery first, as it was shown right before the process was killed. */
  teams: { name: string; token: string; log: LoggedDelivery[] }[]
}

export const FILE = fileURLToPath(new URL('data-folder.json.gz', import.meta.url))

export const DATA_FILES = {
  database: 'headgate.sqlite',
  secret: 'instance-secret',
  firstRun: 'first-run.json',
}

/** What webhooks are for, which is also the path of their URL. */
export const PATHS = [
  '/good',
  '/also-good',
  '/other-query',
  '/other-chain',
  '/flaky',
  '/failing',
  '/busy',
  '/gone',
  '/hanging',
  '/ordered',
  '/paused',
  '/deleted',
  '/replayed',
  '/replayed-busy',
] as const
export type Path = (typeof PATHS)[number]

const NODE_SEEDS = [61, 62]

/** The two chains that the installation follows; the same blocks every time. */
export function startNodes(): ChainNode[] {
  return NODE_SEEDS.map((seed, at) => Object.assign(startChainNode(seed), { chainId: at + 1 }))
}

export function configText(nodes: readonly ChainNode[]): string {
  const networks = nodes.map(
    ({ url, chainId }) => `  - id: ${chainId === 1 ? 'ETH_MAINNET' : 'OTHER_CHAIN'}
    kind: evm
    chainId: ${chainId}
    blockTimeMs: 1000
    headPollMs: 100
    verify: off
    upstreams: [{ name: mined, url: "${url}" }]`,
  )
  return `listen: 127.0.0.1:0
networks:
${networks.join('\n')}
tiers: { free: { monthlyCu: 15 } }
webhooks: { allowPrivateDestinations: true, timeoutMs: 60000, retryDelaysMs: [200, 300] }
`
}

export function readOldData(): OldData {
  return JSON.parse(Buffer.from(Bun.gunzipSync(readFileSync(FILE))).toString())
}

/** Puts the data folder there, as it was. */
export function unpack({ database, secret, firstRun }: OldData, folder: string): string {
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  const file = join(data, DATA_FILES.database)
  writeFileSync(file, Bun.gunzipSync(Buffer.from(database, 'base64')))
  writeFileSync(join(data, DATA_FILES.secret), secret, { mode: 0o600 })
  writeFileSync(join(data, DATA_FILES.firstRun), firstRun, { mode: 0o600 })
  return file
}

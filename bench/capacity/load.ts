export type NetworkLoad = { name: string; blockTimeMs: number }

/** A load on a whole cluster, and what is assumed of those who make it. */
export type Load = {
  callsPerSecond: number
  /** Calls that a cache or a like call under way answers. */
  repeatedShare: number
  /** Teams that call all the time, evenly. */
  teams: number
  /** Lines of the ledger that each of them has in an hour: apps × networks × methods. */
  usageRowsPerTeam: number
  webhooks: number
  networks: readonly NetworkLoad[]
  /** Webhooks of a network that a block has something for. */
  matchingShare: number
  /** Blocks come by so much of their time too early or too late. */
  blockJitter: number
  bodyBytes: number
  /** How long destinations take to answer. */
  answerMs: number
}

/** The machines, and how full they may be. */
export type Machines = {
  coresEach: number
  /** The share of a core, or of one event loop, that is planned for. */
  utilisation: number
  /** Processes of each kind that may be gone at any time. */
  spare: number
}

/** Block times as EVM networks have them, from a quarter of a second to twelve. */
const BLOCK_TIMES_MS: readonly [blockTimeMs: number, networks: number][] = [
  [250, 3],
  [400, 5],
  [1000, 12],
  [2000, 20],
  [3000, 6],
  [5000, 2],
  [12_000, 2],
]

export const FIFTY_NETWORKS: readonly NetworkLoad[] = BLOCK_TIMES_MS.flatMap(
  ([blockTimeMs, networks]) =>
    Array.from({ length: networks }, (_, at) => ({ name: `${blockTimeMs}-${at}`, blockTimeMs })),
)

/** A million calls a second, and a million webhooks; a block has something for a hundredth. */
export const MILLIONS: Load = {
  callsPerSecond: 1_000_000,
  repeatedShare: 0.5,
  teams: 10_000,
  usageRowsPerTeam: 3,
  webhooks: 1_000_000,
  networks: FIFTY_NETWORKS,
  matchingShare: 0.01,
  blockJitter: 0.1,
  bodyBytes: 2048,
  answerMs: 100,
}

export const SIXTEEN_CORES: Machines = { coresEach: 16, utilisation: 0.6, spare: 1 }

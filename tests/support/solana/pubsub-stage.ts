import { Rejection } from '../../../src/core/errors.ts'
import type { OpenSubscription } from '../../../src/core/rpc/subscription-source.ts'
import { openSolanaSubscriptions } from '../../../src/gateway/subscriptions/solana/solana-subscriptions.ts'
import { openMachineSignals } from '../../../src/ports/driver-parts/machine-signals.ts'
import type { LogFields } from '../../../src/ports/telemetry.ts'
import { openNetwork } from '../../../src/upstream/answers/open-network.ts'
import { quietTelemetry } from '../basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../basics/test-clock.ts'
import { testWorld } from '../basics/test-world.ts'
import { type PubsubCluster, pubsubCluster } from './pubsub-cluster.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into notifications of every shape.
type Json = any

/** One subscriber, and everything that it was told. */
export type Heard = {
  method: string
  params: readonly unknown[]
  /** Notifications as they came, and parsed. */
  texts: string[]
  told: Json[]
  done: number
  lost: string[]
  /** Null until it was granted or rejected. */
  opened: OpenSubscription | Rejection | null
}

export type PubsubStage = {
  clock: TestClock
  cluster: PubsubCluster
  log: LogFields[]
  subscriptions: ReturnType<typeof openSolanaSubscriptions>
  /** The team that subscribes from now on. */
  team: string
  /** Subscribes without waiting for the answer. */
  begin(method: string, ...params: unknown[]): Heard
  /** Subscribes; fails the test where that is refused. */
  listen(method: string, ...params: unknown[]): Promise<Heard>
  /** Mines a block every 400 ms for so long, doing what the test wants before each. */
  run(ms: number, beforeBlock?: () => void): Promise<void>
  /** Lets time pass without blocks. */
  wait(ms: number): Promise<void>
  stop(): void
}

const SLOT_MS = 400
const STEP_MS = 50

const USUAL = { priority: 0, traces: false, concurrencyMax: 64, batchMax: 0, timeoutMs: 10_000 }

/** Subscriptions over nodes that the test drives. */
export async function openPubsubStage(
  names: readonly string[] = ['a', 'b', 'c'],
  ws = true,
): Promise<PubsubStage> {
  const clock = testClock()
  const cluster = pubsubCluster(names)
  const log: LogFields[] = []
  const telemetry = {
    ...quietTelemetry(),
    log: (_level: string, event: string, fields: LogFields) => void log.push({ event, ...fields }),
  }
  const { outbound, sockets } = cluster
  const signals = openMachineSignals()
  const needs = { clock, signals, outbound, sockets, telemetry }
  const network = openNetwork(
    needs,
    {
      id: 'SOLANA_TEST',
      slug: 'solana-test',
      kind: 'solana',
      blockTimeMs: SLOT_MS,
      headPollMs: 250,
      headLagMsMax: 30_000,
      upstreams: names.map((name) => ({
        ...USUAL,
        name,
        url: `http://${name}/`,
        ...(ws ? { ws: `ws://${name}/` } : {}),
      })),
    },
    { prices: {}, cacheBytesMax: 0, latestMaxAgeMs: 0 },
  )
  await clock.advance(10)
  const subscriptions = openSolanaSubscriptions({ ...testWorld(needs), sockets }, network)

  const stage: PubsubStage = {
    clock,
    cluster,
    log,
    subscriptions,
    team: 'team',
    begin: (method, ...params) => begin(stage, method, params),
    async listen(method, ...params) {
      const heard = begin(stage, method, params)
      for (let step = 0; heard.opened === null && step < 1_000; step++) await stage.wait(STEP_MS)
      if (heard.opened === null || heard.opened instanceof Rejection) {
        throw new Error(heard.opened?.message ?? 'no answer')
      }
      return heard
    },
    async run(ms, beforeBlock) {
      for (let passed = 0; passed < ms; passed += SLOT_MS) {
        beforeBlock?.()
        if (beforeBlock === undefined) cluster.mine()
        await stage.wait(SLOT_MS)
      }
    },
    async wait(ms) {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        await clock.advance(Math.min(STEP_MS, ms - passed))
      }
    },
    stop() {
      subscriptions.stop('The test is over.')
      network.stop()
    },
  }
  return stage
}

function begin(stage: PubsubStage, method: string, params: readonly unknown[]): Heard {
  const heard: Heard = { method, params, texts: [], told: [], done: 0, lost: [], opened: null }
  const call = { method, params, paramsText: JSON.stringify(params), team: stage.team }
  const opened = stage.subscriptions.subscribe(call, {
    notify(text) {
      heard.texts.push(text)
      heard.told.push(JSON.parse(text))
    },
    done: () => void heard.done++,
    lost: (reason) => void heard.lost.push(reason),
  })
  Promise.resolve(opened).then((answer) => {
    heard.opened = answer
  })
  return heard
}

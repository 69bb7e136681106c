import { openProgramAccounts } from '../accounts/snapshot/serve-program-accounts.ts'
import { openAppDirectory } from '../gateway/app-directory.ts'
import { openDemoLimiter } from '../gateway/demo-limiter.ts'
import { openSteadyHeights } from '../gateway/steady-height.ts'
import { openRpcNotes } from '../http/rpc/rpc-notes.ts'
import type { RpcRouteNeeds } from '../http/rpc/rpc-route.ts'
import type { Routes } from '../http/server.ts'
import { openSpendGuard } from '../metering/spend-guard.ts'
import { openUsageMeter } from '../metering/usage-meter.ts'
import { networkReport } from '../upstream/answers/network-report.ts'
import { openAccountIndexes } from './networks/account-indexes.ts'
import { type Given, makeRoutes, openEdgeLimits } from './routes.ts'

export type Service = {
  routes: Routes
  /** For the listener of its own that metrics have; null: they have none. */
  metricRoutes: Routes | null
  /** Takes over the limits of tiers and the demo key as they are set now. */
  reloaded(): void
  /** Writes what is still metered in memory, then lets go of the world. */
  stop(): Promise<void>
}

/** By the W3C's Trace Context. */
const SPAN_ID_BYTES = 8

/** Puts the engines together over a world; knows nothing of which world it is. */
export function openService(given: Given): Service {
  const { world, settings, networks, publicUrl } = given
  const { clock, database, entropy, secrets, signals, telemetry } = world
  const { tiers } = settings
  const guard = openSpendGuard({ clock, database, tiers, publicUrl })
  const writer = `writer_${entropy.alphanumeric(16)}`
  const refresh = () => guard.refresh()
  const meter = openUsageMeter({ clock, database, telemetry, writer, refresh })
  const demoKey = () => settings.demoKey
  const directory = openAppDirectory({ clock, database, signals, telemetry, guard, demoKey })
  const monotonicMs = () => clock.monotonicMs()
  const pageKeySecret = secrets.derive('page keys of getProgramAccounts')
  const { index: programs, pageKeyMs: keepMs } = settings.programAccounts
  const indexes = openAccountIndexes(world, networks, { programs, keepMs })
  const accounts = openProgramAccounts(
    { ...world, pageKeySecret, indexOf: indexes.of },
    settings.programAccounts,
  )
  const rpc: RpcRouteNeeds = {
    clock,
    ...openEdgeLimits(world, settings),
    notes: openRpcNotes(telemetry, settings.log.requests),
    guard,
    meter,
    directory,
    publicUrl,
    filterSecret: secrets.derive('ids of filters'),
    demo: openDemoLimiter({ clock, publicUrl }),
    heights: openSteadyHeights(monotonicMs),
    own: accounts,
    networkBySlug: networks.bySlug,
    nextRequestId: requestIds(entropy.alphanumeric(8)),
    nextSpanId: () => Buffer.from(entropy.bytes(SPAN_ID_BYTES)).toString('hex'),
  }
  const networkReports = () =>
    networks.list().map((service) => ({
      ...networkReport(service),
      account_indexes: indexes.reportOf(service.network.id),
    }))
  const { main, forMetrics } = makeRoutes(given, rpc, networkReports)
  return {
    routes: main,
    metricRoutes: forMetrics,
    reloaded() {
      guard.replan()
      directory.forget()
    },
    async stop() {
      meter.stop()
      directory.stop()
      await accounts.stop()
      await indexes.stop()
      await meter.flush()
    },
  }
}

/** Short, unique in this process, and of no use to anyone who guesses the next. */
function requestIds(prefix: string): () => string {
  let last = 0
  return () => `req_${prefix}${(++last).toString(36)}`
}

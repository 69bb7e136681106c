import type { Tier } from '../../../src/core/billing/plan.ts'
import {
  type LimitExchange,
  openLimitExchange,
  PACE_BETWEEN_MACHINES,
} from '../../../src/metering/limit-exchange.ts'
import { openSpendGuard, type SpendGuard } from '../../../src/metering/spend-guard.ts'
import type { TeamAccount } from '../../../src/metering/team-account.ts'
import { openUsageMeter, type UsageMeter } from '../../../src/metering/usage-meter.ts'
import { openMachineSignals } from '../../../src/ports/driver-parts/machine-signals.ts'
import type { Signals } from '../../../src/ports/signals.ts'
import { recordUsage } from '../../../src/tables/usage/usage.ts'
import { freshStore } from '../../fresh-store.ts'
import { type QuietTelemetry, quietTelemetry } from '../basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../basics/test-clock.ts'
import { testWorld } from '../basics/test-world.ts'
import { aTier } from './a-tier.ts'

export type SharingGateway = {
  guard: SpendGuard
  meter: UsageMeter
  exchange: LimitExchange
  account(): Promise<TeamAccount>
}

export type SharingGateways = {
  clock: TestClock
  signals: Signals
  telemetry: QuietTelemetry
  /** Opens gateways, each as a process of its own would, for a team with these limits. */
  gateways(count: number, limits: Partial<Tier>): SharingGateway[]
  close(): Promise<void>
}

const TEAM = { id: 'team_a', name: 'A', tier: 'free', autoscaling: false, createdAtMs: 0 }

/** Gateways on one store that share one team's limits over signals. */
export async function openSharingGateways(): Promise<SharingGateways> {
  const clock = testClock()
  const database = await freshStore()
  const signals = openMachineSignals()
  const telemetry = quietTelemetry()
  const world = testWorld({ clock, database, telemetry })
  const opened: SharingGateway[] = []

  const open = (name: string, tiers: Map<string, Tier>): SharingGateway => {
    const shared = { clock, signals, telemetry }
    const exchange = openLimitExchange(shared, { sender: name, pace: PACE_BETWEEN_MACHINES })
    const guard = openSpendGuard(world, { tiers, publicUrl: '', exchange })
    const meter = openUsageMeter(world, {
      exchange,
      figures: { take: () => [], isDue: () => false },
      record: (batch) => recordUsage(database, batch),
      writer: name,
      refresh: guard.refresh,
    })
    return { guard, meter, exchange, account: () => guard.open(TEAM) }
  }

  return {
    clock,
    signals,
    telemetry,
    gateways(count, limits) {
      const tiers = new Map([['free', aTier(limits)]])
      for (let at = 0; at < count; at++) opened.push(open(`gateway_${at}`, tiers))
      return opened
    },
    async close() {
      for (const { guard, meter, exchange } of opened) {
        guard.stop()
        meter.stop()
        exchange.stop()
      }
      await signals.close()
      await database.close()
    },
  }
}

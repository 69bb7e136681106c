import type { Network } from '../../src/core/network.ts'
import { type Follower, followNetwork } from '../../src/follower/follow-network.ts'
import { openNetworkLeases } from '../../src/follower/network-leases.ts'
import { openStandingQueries } from '../../src/follower/standing-queries.ts'
import type { Database } from '../../src/ports/database.ts'
import { openMachineSignals } from '../../src/ports/driver-parts/machine-signals.ts'
import type { LogFields } from '../../src/ports/telemetry.ts'
import type { RecordedEvent } from '../../src/tables/chain/chain-events.ts'
import { openKnownNumbers } from '../../src/tables/chain/known-numbers.ts'
import { openNetwork } from '../../src/upstream/answers/open-network.ts'
import { testWorld } from '../support/basics/test-world.ts'
import type { SimNode } from './nodes/sim-node.ts'
import type { Life } from './process-life.ts'
import { clockOf, telemetryOf, waysOut } from './process-ports.ts'
import type { Trace } from './trace.ts'
import type { VirtualClock } from './virtual-clock.ts'

type Needs = {
  clock: VirtualClock
  trace: Trace
  nodes: readonly SimNode[]
  network: Network
  /** Hears what the process logs. */
  logged(life: Life, event: string, fields: LogFields): void
  /** What else runs in the process. */
  companion?: Companion | null
}

/** Another part of the product that runs in the process of a follower. */
export type Companion = {
  committed(event: RecordedEvent): void
  stop(): Promise<void>
}

/** One start of the product: as much of it as follows a network. */
export type SimProcess = {
  life: Life
  /** Ends it as an operator would. */
  stop(): Promise<void>
}

/** As when the product starts: a silent upstream must not hold it up for longer. */
const FIRST_ROUND_MS_MAX = 1_500

const SETTINGS = { prices: {}, cacheBytesMax: 0, latestMaxAgeMs: 0 }

export function startProcess(
  needs: Needs,
  life: Life,
  holder: string,
  wallSkewMs: number,
  database: Database,
): SimProcess {
  const clock = clockOf(needs.clock, life, wallSkewMs)
  const telemetry = telemetryOf(needs, life)
  const signals = openMachineSignals()
  const service = openNetwork(
    { clock, telemetry, signals, ...waysOut(needs, life) },
    needs.network,
    SETTINGS,
  )
  const world = testWorld({ clock, database, telemetry, signals })
  const standing = openStandingQueries(world, [1, 2])
  let follower: Follower | null = null
  let stopped = false
  const begin = async () => {
    await Promise.race([service.ready, clock.sleep(FIRST_ROUND_MS_MAX)])
    if (stopped || !life.alive) return
    const { committed = () => {} } = needs.companion ?? {}
    const leases = openNetworkLeases(world, holder)
    const known = openKnownNumbers(world)
    follower = followNetwork(world, { standing, leases, known, committed }, service)
  }
  void begin()
  return {
    life,
    async stop() {
      stopped = true
      // As the product does: first what delivers, which may wait for what is on its way.
      await needs.companion?.stop()
      await follower?.stop()
      service.stop()
    },
  }
}

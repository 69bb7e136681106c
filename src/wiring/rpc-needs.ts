import { openAppDirectory } from '../gateway/app-directory.ts'
import { openDemoLimiter } from '../gateway/demo-limiter.ts'
import { openMonotonicHeights } from '../gateway/monotonic-heights.ts'
import { openRpcNotes } from '../http/rpc/rpc-notes.ts'
import type { RpcRouteNeeds } from '../http/rpc/rpc-route.ts'
import { openSpendGuard } from '../metering/spend-guard.ts'
import { openUsageMeter } from '../metering/usage-meter.ts'
import { openEdgeLimits } from './edge-limits.ts'
import type { ServiceInputs } from './service-inputs.ts'

/** By the W3C's Trace Context. */
const SPAN_ID_BYTES = 8

/** Opens what the RPC endpoint is served with: who calls, what they may spend, what it costs. */
export function openRpcNeeds(
  { drivers, settings, networks, publicUrl }: ServiceInputs,
  local: RpcRouteNeeds['local'],
  opened: AsyncDisposableStack,
): RpcRouteNeeds {
  const { clock, database, entropy, secrets, signals, telemetry } = drivers
  const guard = openSpendGuard({ clock, database, tiers: settings.tiers, publicUrl })
  const writer = `writer_${entropy.alphanumeric(16)}`
  const refresh = () => guard.refresh()
  const meter = openUsageMeter({ clock, database, telemetry, writer, refresh })
  opened.defer(() => {
    meter.stop()
    return meter.flush()
  })
  const demoKey = () => settings.demoKey
  const directory = openAppDirectory({ clock, database, signals, telemetry, guard, demoKey })
  opened.defer(directory.stop)
  return {
    clock,
    ...openEdgeLimits(drivers, settings),
    notes: openRpcNotes(telemetry, settings.log.requests),
    guard,
    meter,
    directory,
    publicUrl,
    filterSecret: secrets.derive('ids of filters'),
    demo: openDemoLimiter({ clock, publicUrl }),
    heights: openMonotonicHeights(() => clock.monotonicMs()),
    local,
    networkBySlug: networks.bySlug,
    nextRequestId: requestIds(entropy.alphanumeric(8)),
    nextSpanId: () => Buffer.from(entropy.bytes(SPAN_ID_BYTES)).toString('hex'),
  }
}

/** Short, unique in this process, and of no use to anyone who guesses the next. */
function requestIds(prefix: string): () => string {
  let last = 0
  return () => `req_${prefix}${(++last).toString(36)}`
}

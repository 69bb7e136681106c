import { openAppDirectory } from '../gateway/app-directory.ts'
import { openDemoLimiter } from '../gateway/demo-limiter.ts'
import { openMonotonicHeights } from '../gateway/monotonic-heights.ts'
import { openJwtCallers } from '../http/rpc/jwt-callers.ts'
import { openRpcNotes } from '../http/rpc/rpc-notes.ts'
import type { RpcRouteNeeds } from '../http/rpc/rpc-route.ts'
import { openEdgeLimits } from './edge-limits.ts'
import { openMetering } from './networks/metering.ts'
import type { RpcInputs } from './service-inputs.ts'

/** By the W3C's Trace Context. */
const SPAN_ID_BYTES = 8

/** Opens what the RPC endpoint is served with: who calls, what they may spend, what it costs. */
export function openRpcNeeds(
  inputs: RpcInputs,
  local: RpcRouteNeeds['local'],
  opened: AsyncDisposableStack,
): RpcRouteNeeds {
  const { drivers, settings, networks, publicUrl, exchange } = inputs
  const { clock, database, entropy, signals, telemetry } = drivers
  const { guard, meter, figures } = openMetering(inputs, opened)
  const demo = openDemoLimiter({ clock, publicUrl, exchange })
  opened.defer(demo.stop)
  const demoKey = () => settings.demoKey
  const directory = openAppDirectory({ clock, database, signals, telemetry, guard, demoKey })
  opened.defer(directory.stop)
  return {
    clock,
    ...openEdgeLimits(drivers, settings),
    notes: openRpcNotes(telemetry, settings.log.requests),
    guard,
    meter,
    figures,
    directory,
    jwtCallers: openJwtCallers({ clock, directory, publicUrl }),
    publicUrl,
    filterSecret: inputs.filterSecret,
    demo,
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

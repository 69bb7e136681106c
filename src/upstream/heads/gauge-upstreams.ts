import type { Telemetry } from '../../ports/telemetry.ts'
import { rates } from '../node/rolling-counts.ts'
import type { Selection } from '../pool/selection.ts'

export function gaugeUpstreams(telemetry: Telemetry, selection: Selection): () => void {
  const network = selection.network.id
  const forget = [
    telemetry.gauge('headgate_network_head', { network }, () => selection.head?.number ?? 0),
  ]
  for (const upstream of selection.upstreams) {
    const labels = { network, upstream: upstream.spec.name }
    const { spend } = upstream
    if (spend) {
      const read = () => spend.account.creditsSpent()
      forget.push(telemetry.gauge('headgate_upstream_month_credits', labels, read))
    }
    const used = () => (selection.stateOf.get(upstream) === 'used' ? 1 : 0)
    forget.push(
      telemetry.gauge('headgate_upstream_used', labels, used),
      telemetry.gauge('headgate_upstream_head', labels, () => upstream.head?.number ?? 0),
      telemetry.gauge('headgate_upstream_in_flight', labels, () => upstream.inFlight),
      telemetry.gauge('headgate_upstream_latency_seconds', labels, () => upstream.latencyMs / 1000),
      telemetry.gauge('headgate_upstream_error_ratio', labels, () => rates(upstream).errorRate),
    )
  }
  return () => {
    for (const stop of forget) stop()
  }
}

import type { NetworkStatus } from '../../upstream/answers/network-report.ts'

type UpstreamReport = NetworkStatus['upstreams'][number]

/** From the one that calls are kept from to the one that gets them. */
const STATES: readonly UpstreamReport['state'][] = ['excluded', 'standby', 'used']

/**
 * The report of the process that watches the upstreams, with what those see that send calls there.
 * An upstream that any of them leaves out is shown so, with its reason.
 */
export function mergeReports(
  watched: NetworkStatus,
  serving: readonly NetworkStatus[],
): NetworkStatus {
  const seen = serving.filter(({ id }) => id === watched.id).flatMap(({ upstreams }) => upstreams)
  const upstreams = watched.upstreams.map((own) =>
    merged(
      own,
      seen.filter(({ name }) => name === own.name),
    ),
  )
  return { ...watched, upstreams }
}

function merged(own: UpstreamReport, seen: readonly UpstreamReport[]): UpstreamReport {
  const [worst] = seen.toSorted((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state))
  if (!worst) return own
  const timed = seen.filter(({ latency_ms }) => latency_ms > 0)
  const latencyMs = timed.reduce((sum, { latency_ms }) => sum + latency_ms, 0) / timed.length
  return {
    ...own,
    state: worst.state,
    reason: worst.reason,
    ...faultOf([worst, ...seen, own]),
    next_probe_ms: worst.next_probe_ms,
    error_rate: Math.max(...seen.map(({ error_rate }) => error_rate)),
    latency_ms: timed.length === 0 ? own.latency_ms : Math.round(latencyMs * 100) / 100,
    in_flight: seen.reduce((sum, { in_flight }) => sum + in_flight, own.in_flight),
    ...disagreementsOf([own, ...seen]),
  }
}

function disagreementsOf(seen: readonly UpstreamReport[]) {
  const [latest] = seen
    .filter(({ last_disagreement }) => last_disagreement !== null)
    .toSorted((a, b) => (a.last_disagreement_age_ms ?? 0) - (b.last_disagreement_age_ms ?? 0))
  return {
    disagreements: seen.reduce((sum, { disagreements }) => sum + disagreements, 0),
    last_disagreement: latest?.last_disagreement ?? null,
    last_disagreement_age_ms: latest?.last_disagreement_age_ms ?? null,
  }
}

function faultOf(seen: readonly UpstreamReport[]) {
  const fault = seen.find(({ last_fault }) => last_fault !== null)
  return {
    last_fault: fault?.last_fault ?? null,
    last_fault_age_ms: fault?.last_fault_age_ms ?? null,
  }
}

import type { Telemetry } from '../../ports/telemetry.ts'
import type { Schedule } from '../schedule/schedule.ts'
import type { AttemptEnd, SendAttempt } from './attempt-outcome.ts'

type Result = 'delivered' | 'retry' | 'give_up' | 'gone'

/** Attempts as operators see them: a line each, and sums by network. */
export type DeliveryNotes = ReturnType<typeof openDeliveryNotes>

type Meters = {
  results: Record<Result, (by: number) => void>
  took: (ms: number) => void
  lag: (ms: number) => void
}

export function openDeliveryNotes(telemetry: Telemetry, schedule: Schedule) {
  // Hot path: labels are worked out once for each network.
  const meters = new Map<string, Meters>()
  const metersOf = (network: string): Meters => {
    const known = meters.get(network)
    if (known) return known
    const made = metersFor(telemetry, network)
    meters.set(network, made)
    return made
  }
  const forget = gauges(telemetry, schedule)

  return {
    attempt(attempt: SendAttempt, end: AttemptEnd, result: Result) {
      const { delivery } = attempt
      const { results, took, lag } = metersOf(delivery.network)
      results[result](1)
      took(end.answer.ms.total)
      // A delivery that is replayed or was paused is not late, so it is no lag of ours.
      if (result === 'delivered' && !delivery.replay) lag(end.endedAtMs - delivery.createdAtMs)
      telemetry.logText('info', 'delivery', lineText(attempt, end, result))
    },
    /** An outcome did not count: the delivery was sent again or cancelled meanwhile. */
    lost: () => telemetry.count('headgate_delivery_outcomes_lost_total', {}),
    stop: () => forget.forEach((one) => void one()),
  }
}

/** Put together by hand: all texts but the host's are ours. Neither path nor key is in it. */
function lineText(
  { delivery, host, lane }: SendAttempt,
  { answer, bodyBytes }: AttemptEnd,
  result: Result,
): string {
  const { status, fault, ms } = answer
  return (
    `"webhook":"${delivery.webhookId}","delivery":"${delivery.id}",` +
    `"network":"${delivery.network}","sequence_number":${delivery.sequenceNumber},` +
    `"attempt":${delivery.attemptsMade + 1},"host":${JSON.stringify(host.name)},` +
    `"queue":"${lane}","result":"${result}","status":${status},` +
    `"fault":${fault === null ? null : `"${fault}"`},"ms":${ms.total},"bytes":${bodyBytes}`
  )
}

function metersFor(telemetry: Telemetry, network: string): Meters {
  const count = (outcome: string) =>
    telemetry.counter('headgate_deliveries_total', { network, outcome })
  return {
    results: {
      delivered: count('delivered'),
      retry: count('retry'),
      give_up: count('failed'),
      gone: count('gone'),
    },
    took: telemetry.histogram('headgate_delivery_duration_seconds', { network }),
    lag: telemetry.histogram('headgate_delivery_lag_seconds', { network }),
  }
}

function gauges(telemetry: Telemetry, schedule: Schedule): (() => void)[] {
  const openBreakers = () => {
    let open = 0
    for (const { health } of schedule.hosts.values()) if (health.opensAtMs !== null) open += 1
    return open
  }
  return [
    telemetry.gauge('headgate_deliveries_in_flight', {}, () => schedule.slots),
    telemetry.gauge('headgate_delivery_in_flight_bytes', {}, () => schedule.bytes),
    telemetry.gauge('headgate_host_breakers_open', {}, openBreakers),
  ]
}

import { lastingOf, sumExpositions } from '../../http/pages/sum-expositions.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { openGather } from './gather.ts'
import type { FromWorker, ToWorker } from './worker-messages.ts'

type Member = { send(message: ToWorker): void }

type Measured = Extract<FromWorker, { kind: 'measured' }>

export type WorkerMetrics = {
  exposition(): Promise<string>
  measured(member: Member, message: Measured): void
  /** Keeps the counters of a worker that is gone: they must not go back. */
  leave(member: Member): void
}

/** A worker that takes longer is shown as it was when it was last heard of. */
const MEASURE_MS_MAX = 500

export function openWorkerMetrics(
  { clock, telemetry }: { clock: Clock; telemetry: Telemetry },
  members: ReadonlySet<Member>,
): WorkerMetrics {
  const latest = new Map<Member, string>()
  const gather = openGather<Member>(clock, MEASURE_MS_MAX)
  let ofTheGone = ''
  return {
    async exposition() {
      await gather.ask(members, (member, id) => member.send({ kind: 'measure', id }))
      return sumExpositions([telemetry.exposition(), ofTheGone, ...latest.values()])
    },
    measured(member, { id, exposition }) {
      latest.set(member, exposition)
      gather.answered(member, id)
    },
    leave(member) {
      ofTheGone = sumExpositions([ofTheGone, lastingOf(latest.get(member) ?? '')])
      latest.delete(member)
      gather.leave(member)
    },
  }
}

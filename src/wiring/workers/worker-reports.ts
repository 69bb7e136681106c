import type { Clock } from '../../ports/clock.ts'
import type { CallReport } from '../networks/merge-reports.ts'
import { openGather } from './gather.ts'
import type { FromWorker, ToWorker } from './worker-messages.ts'

type Member = { send(message: ToWorker): void }

type Reported = Extract<FromWorker, { kind: 'reported' }>

/** How calls go at the upstreams, as the workers see it. */
export type WorkerReports = {
  reports(): Promise<CallReport[]>
  reported(member: Member, message: Reported): void
  leave(member: Member): void
}

/** A worker that takes longer is left out. */
const REPORT_MS_MAX = 500

export function openWorkerReports(clock: Clock, members: ReadonlySet<Member>): WorkerReports {
  const gather = openGather<Member>(clock, REPORT_MS_MAX)
  const latest = new Map<Member, readonly CallReport[]>()
  return {
    async reports() {
      await gather.ask(members, (member, id) => member.send({ kind: 'report', id }))
      return [...latest.values()].flat()
    },
    reported(member, { id, networks }) {
      latest.set(member, networks)
      gather.answered(member, id)
    },
    leave(member) {
      latest.delete(member)
      gather.leave(member)
    },
  }
}

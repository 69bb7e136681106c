import { continueAbove } from '../chain/known-numbers.ts'
import { continueOnPostgres, lastEventNumber } from '../move/event-numbers.ts'

/** Two days of numbers: a failover loses less, and a higher number is a mistake. */
const EVENTS_LOST_MAX = 2 ** 27

/** The same, with the numbers of events, which a sequence gives. */
export const continueAboveOnPostgres: typeof continueAbove = {
  name: continueAbove.name,
  async run(tx, args) {
    const [, lastEvent] = args
    const raised = await continueAbove.run(tx, args)
    const lost = lastEvent - (await lastEventNumber(tx, 'postgres'))
    if (lost <= EVENTS_LOST_MAX) await continueOnPostgres(tx, lastEvent)
    return raised
  },
}

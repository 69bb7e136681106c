import { continueAbove } from '../chain/known-numbers.ts'
import { continueOnPostgres } from '../move/event-numbers.ts'

/** The same, with the numbers of events, which a sequence gives. */
export const continueAboveOnPostgres: typeof continueAbove = {
  name: continueAbove.name,
  async run(tx, args) {
    const [, lastEvent] = args
    await continueAbove.run(tx, args)
    await continueOnPostgres(tx, lastEvent)
  },
}

import { commitEvent } from './chain-events.ts'
import { settleOutcomes } from './delivery-outcomes.ts'

/** What a store performs where its data is, by name: the transactions of the hot paths. */
export const WORKS = { commitEvent, settleOutcomes }

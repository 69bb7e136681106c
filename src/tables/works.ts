import { commitSentEvent } from './chain/chain-events.ts'
import { settleOutcomes } from './deliveries/settle-outcomes.ts'

/** What a store performs where its data is, by name: the transactions of the hot paths. */
export const WORKS = { commitSentEvent, settleOutcomes }

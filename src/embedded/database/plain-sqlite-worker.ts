import { obeyOrders } from './sqlite-worker.ts'

/** The thread of a store that performs nothing but statements. */
obeyOrders({})

import { obeyOrders } from '../embedded/database/sqlite-worker.ts'
import { WORKS } from '../tables/works.ts'

/** The thread of the product's store: it performs the works of the tables. */
obeyOrders(WORKS)

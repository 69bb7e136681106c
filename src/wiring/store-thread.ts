import { serveStore } from '../embedded/database/sqlite-worker.ts'
import { PROCEDURES } from '../tables/procedures.ts'

/** The thread of the product's store: it runs the procedures of the tables. */
serveStore(PROCEDURES)

import { serveStore } from '../embedded/database/serve-store.ts'
import { PROCEDURES } from '../tables/procedures.ts'

/** The thread of the product's store: it runs the procedures of the tables. */
serveStore(PROCEDURES)

import { serveStore } from './sqlite-worker.ts'

/** The thread of a store that runs nothing but statements. */
serveStore([])

import { serveStore } from './serve-store.ts'

/** The thread of a store that runs nothing but statements. */
serveStore([])

import { serveStore } from '../../../src/embedded/database/serve-store.ts'
import { addNotes, endThread } from './exam-procedure.ts'

/** The thread of a store with procedures for the exam. */
serveStore([addNotes, endThread])

import { serveStore } from '../../src/embedded/database/sqlite-worker.ts'
import { addNotes } from './exam-procedure.ts'

/** The thread of a store with a procedure for the exam. */
serveStore([addNotes])

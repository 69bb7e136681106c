import { serveAsWorker } from './serve-as-worker.ts'
import { openWorkerDrivers } from './worker-drivers.ts'

/** The process of a gateway worker, started by the main process alone. */
serveAsWorker(openWorkerDrivers)

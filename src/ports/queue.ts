/** A reminder that a row wants attention. The row decides what is done, never the job. */
export type Job = { topic: string; id: string }

export type WorkOptions = {
  topic: string
  /** Jobs in hand at once. */
  concurrencyMax: number
}

/**
 * At least once, no order, may lose everything at a crash: a sweep of the table finds what is due.
 */
export interface Queue {
  enqueue(jobs: readonly Job[]): Promise<void>

  /**
   * Hands each job of the topic to `handle` until the returned function is called, which waits for
   * those in hand.
   */
  work(options: WorkOptions, handle: (job: Job) => Promise<void>): Promise<() => Promise<void>>

  close(): Promise<void>
}

import { Failure } from '../../core/errors.ts'
import {
  type LimitExchange,
  openLimitExchange,
  paceBetweenWorkers,
} from '../../metering/limit-exchange.ts'
import { plainBatch, type UsageBatch } from '../../tables/usage/usage.ts'
import type { MainLink } from './main-link.ts'
import type { WorkerDrivers } from './worker-drivers.ts'

type MainLedger = {
  exchange: LimitExchange
  /** Resolves when the main process has written it. */
  recordUsage(batch: UsageBatch): Promise<void>
}

/** Limits and ledger by way of the main process, which is the hub of the one and has the other. */
export function openMainLedger(
  { clock, telemetry }: Pick<WorkerDrivers, 'clock' | 'telemetry'>,
  link: MainLink,
  workers: number,
): MainLedger {
  const unwritten = new Map<number, PromiseWithResolvers<void>>()
  const carrier = {
    send: (frame: string) => link.send({ kind: 'limits', frame }),
    subscribe: (hear: (frame: string) => void) =>
      link.subscribe((message) => {
        if (message.kind === 'limits') hear(message.frame)
      }),
  }
  link.subscribe((message) => {
    if (message.kind !== 'written') return
    unwritten.get(message.sequence)?.resolve()
    unwritten.delete(message.sequence)
  })
  let isGone = false
  void link.closed.then(() => {
    isGone = true
    for (const { reject } of unwritten.values()) reject(mainIsGone())
  })
  return {
    exchange: openLimitExchange(clock, telemetry, carrier, paceBetweenWorkers(workers)),
    recordUsage(batch) {
      if (isGone) return Promise.reject(mainIsGone())
      const written = Promise.withResolvers<void>()
      unwritten.set(batch.sequence, written)
      link.send({ kind: 'usage', batch: plainBatch(batch) })
      return written.promise
    },
  }
}

function mainIsGone(): Failure {
  return new Failure('database_unavailable', { reason: 'the main process is gone' })
}

import type { Database } from '../../../src/ports/database.ts'
import type { Chance } from '../../support/basics/seeded-chance.ts'
import type { BookedWebhook } from './book.ts'
import type { DeliveryRun } from './delivery-run.ts'
import type { EventSource } from './event-source.ts'

export type ActNeeds = {
  run: DeliveryRun
  chance: Chance
  database: Database
  source: EventSource
  /** Tells the couriers that something of a webhook was changed. */
  changed(webhookId: string): void
}

/** Something that a customer or the operator does. */
export type Act = (needs: ActNeeds) => Promise<void>

const SECRET_LETTERS = 32

export function pickWebhook({ run, chance }: ActNeeds): BookedWebhook | undefined {
  const all = [...run.book.webhooks.values()]
  return pick(
    chance,
    all.filter(({ row }) => row.state !== 'deleted'),
  )
}

export function pick<T>(chance: Chance, choices: readonly T[]): T | undefined {
  return choices.length === 0 ? undefined : chance.pick(choices)
}

export function newSecret(chance: Chance): string {
  const letters = Array.from({ length: SECRET_LETTERS }, () => chance.between(0, 35).toString(36))
  return letters.join('')
}

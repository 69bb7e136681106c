import { coalesced } from '../../core/async/coalesced.ts'
import type { Database } from '../../ports/database.ts'
import { webhookNumbers } from '../../tables/webhooks/courier-webhooks.ts'
import type { Dispatch } from '../dispatch.ts'

type Needs = {
  database: Database
  dispatch: Pick<Dispatch, 'webhooks' | 'run'>
  failed(thrown: unknown): void
}

/** Reminds the courier of webhooks by their public ids. */
export type NamedWebhooks = {
  remind(webhookIds: readonly string[]): void
  /** Ends when none is being looked for. */
  idle(): Promise<void>
}

export function openNamedWebhooks({ database, dispatch, failed }: Needs): NamedWebhooks {
  const ids = new Set<string>()
  const find = coalesced(async () => {
    const some = [...ids]
    ids.clear()
    const numbers = await webhookNumbers(database, some)
    dispatch.webhooks.reread([...numbers.values()])
    dispatch.run()
  }, failed)
  return {
    remind(webhookIds) {
      for (const id of webhookIds) ids.add(id)
      find.ask()
    },
    idle: find.idle,
  }
}

import { coalesced } from '../../core/async/coalesced.ts'
import type { Database } from '../../ports/database.ts'
import { webhookNumbers } from '../../tables/webhooks/courier-webhooks.ts'
import type { Dispatch } from '../dispatch.ts'

/** Reminds the courier of webhooks by their public ids. */
export type NamedWebhooks = {
  remind(webhookIds: readonly string[]): void
  /** Ends when none is being looked for. */
  idle(): Promise<void>
}

export function openNamedWebhooks(
  database: Database,
  dispatch: Dispatch,
  failed: (thrown: unknown) => void,
): NamedWebhooks {
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

import type { App } from '../../core/app.ts'
import type { Database } from '../../ports/database.ts'
import { forgetSent } from '../sent/sent-transactions.ts'
import { forgetApp } from '../webhooks/webhooks.ts'
import { changeAccounts } from './accounts-change.ts'
import { type AppChange, changeApp, deleteApp, findApp } from './apps.ts'

/** The app as it is then; null when the team has no such app. */
export function updateApp(
  db: Database,
  teamId: string,
  appId: string,
  change: AppChange,
): Promise<{ app: App; keySealed: string } | null> {
  return changeAccounts(db, async (tx) => {
    await changeApp(tx, teamId, appId, change)
    return findApp(tx, teamId, appId)
  })
}

/**
 * Deletes it and the log of what it sent; its webhooks name no app from then on. False when the
 * team has no such app.
 */
export function removeApp(db: Database, teamId: string, appId: string): Promise<boolean> {
  return changeAccounts(db, async (tx) => {
    const isGone = await deleteApp(tx, teamId, appId)
    if (!isGone) return false
    await forgetApp(tx, teamId, appId)
    await forgetSent(tx, appId)
    return true
  })
}

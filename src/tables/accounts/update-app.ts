import type { Rejection } from '../../core/errors.ts'
import type { Database } from '../../ports/database.ts'
import { forgetApp } from '../webhooks/webhooks.ts'
import { changeAccounts } from './accounts-change.ts'
import { type AppChange, changeApp, deleteApp, findApp, type StoredApp } from './apps.ts'

/** Says why the app, as it is in the transaction, must not be changed. */
type Guard = (found: StoredApp) => Rejection | null

/** The app as it is then; null when the team has no such app. */
export function updateApp(
  db: Database,
  teamId: string,
  appId: string,
  change: AppChange,
  guard: Guard = () => null,
): Promise<StoredApp | Rejection | null> {
  return changeAccounts(db, async (tx) => {
    const found = await findApp(tx, teamId, appId)
    const refused = found && guard(found)
    if (refused) return refused
    await changeApp(tx, teamId, appId, change)
    return findApp(tx, teamId, appId)
  })
}

/** Deletes it; its webhooks name no app from then on. False when the team has no such app. */
export function removeApp(
  db: Database,
  teamId: string,
  appId: string,
  guard: Guard = () => null,
): Promise<boolean | Rejection> {
  return changeAccounts(db, async (tx) => {
    const found = await findApp(tx, teamId, appId)
    if (!found) return false
    const refused = guard(found)
    if (refused) return refused
    await deleteApp(tx, teamId, appId)
    await forgetApp(tx, teamId, appId)
    return true
  })
}

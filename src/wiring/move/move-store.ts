import type { Settings } from '../../config/config.ts'
import { Failure } from '../../core/errors.ts'
import { openSecrets } from '../../system/machine/secrets.ts'
import { openSystem } from '../../system/open-system.ts'
import { opensKeys } from '../../tables/accounts/opens-keys.ts'
import { isInUse } from '../../tables/couriers/in-use.ts'
import { isEmptyStore, refuseUnfinishedMove } from '../../tables/move/move-mark.ts'
import { type MoveProgress, moveTables } from '../../tables/move/move-tables.ts'
import {
  type MoveEnd,
  type MoveNeeds,
  openServer,
  openSourceFolder,
  openTargetFolder,
  secretFileOf,
} from './move-ends.ts'

/** The two ends of a move: a folder and a PostgreSQL server, in one direction. */
export type MovePlan = {
  folder: string
  /** Never shown. */
  url: string
  to: 'folder' | 'server'
  settings: Pick<Settings, 'secret' | 'postgres'>
}

/** The progress of a move, with the time that it has taken since this process goes on with it. */
export type TimedProgress = MoveProgress & { elapsedMs: number }

export type MoveResult = {
  /** Rows by table. */
  rows: Readonly<Record<string, number>>
  elapsedMs: number
}

/**
 * Moves a store from one world to the other, or goes on with that. A sentence when it is not
 * configured as it must be; null when the target has been the same before.
 */
export async function moveStore(
  plan: MovePlan,
  report: (progress: TimedProgress) => void,
): Promise<MoveResult | string | null> {
  const { secret } = plan.settings
  if (secret === undefined) return `secret (HEADGATE_SECRET) is not set. ${secretWanted(plan)}`
  const system = openSystem(() => {})
  const { clock, entropy } = system
  const secrets = openSecrets(Uint8Array.fromHex(secret), entropy)
  await using opened = new AsyncDisposableStack()
  const needs: MoveNeeds = { ...system, secrets }
  const source = opened.adopt(await openSource(needs, plan), close)
  await refuseBadSource(needs, source)
  if (plan.to === 'server' && !(await isSecretOf(needs, plan.folder, secret, source))) {
    return `secret (HEADGATE_SECRET) is not that of ${plan.folder}. ${secretWanted(plan)}`
  }
  const target = opened.adopt(await openTarget(needs, plan, secret), close)

  const beganAtMs = clock.monotonicMs()
  const elapsed = () => clock.monotonicMs() - beganAtMs
  const rows = await moveTables(
    {
      source: { ...source, engine: plan.to === 'server' ? 'sqlite' : 'postgres' },
      target: { ...target, engine: plan.to === 'server' ? 'postgres' : 'sqlite' },
    },
    (progress) => report({ ...progress, elapsedMs: elapsed() }),
  )
  return rows && { rows, elapsedMs: elapsed() }
}

/** The operator is told where the secret stands; the secret itself is shown to nobody. */
function secretWanted({ folder, to }: MovePlan): string {
  if (to === 'folder') return 'Set it to the one that every process on the server has.'
  const kept = secretFileOf(folder)
  return kept
    ? `Set it to the 64 hex digits in ${kept.file}, here and for every process on the server.`
    : `Set it to the one that Headgate was configured with on ${folder}, which keeps none itself.`
}

function openSource(needs: MoveNeeds, plan: MovePlan): Promise<MoveEnd> {
  const { folder, url, to, settings } = plan
  if (to === 'server') return openSourceFolder(needs, folder)
  return openServer(needs, url, settings.postgres)
}

function openTarget(needs: MoveNeeds, plan: MovePlan, secret: string): Promise<MoveEnd> {
  const { folder, url, to, settings } = plan
  if (to === 'folder') return openTargetFolder(needs, folder, secret)
  return openServer(needs, url, settings.postgres)
}

/** Nobody may run on the source, nor may it be half of a store itself. */
async function refuseBadSource({ clock }: MoveNeeds, { database }: MoveEnd): Promise<void> {
  await refuseUnfinishedMove(database)
  if (await isEmptyStore(database)) {
    throw new Failure('move_failed', { reason: 'the source is empty: there is nothing to move' })
  }
  if (!(await isInUse(database, clock.nowMs()))) return
  throw new Failure('move_failed', {
    reason:
      'a Headgate runs on the source, or has ended without a stop within the last seconds; stop ' +
      'all processes, wait ten seconds and run headgate migrate again',
  })
}

async function isSecretOf(
  { secrets }: MoveNeeds,
  folder: string,
  secret: string,
  { database }: MoveEnd,
): Promise<boolean> {
  const opens = await opensKeys(database, secrets)
  return opens ?? secretFileOf(folder)?.holds.toLowerCase() === secret.toLowerCase()
}

function close(end: MoveEnd): Promise<void> {
  return end.close()
}

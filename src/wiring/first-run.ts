import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, Rejection } from '../core/errors.ts'
import type { Database } from '../ports/database.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { World } from '../ports/world.ts'
import { createApp, createTeam, createToken } from '../tables/accounts/new-accounts.ts'
import { setOperatorToken } from '../tables/accounts/revoke-token.ts'
import { readInstanceFact, writeInstanceFactOnce } from '../tables/sql/instance.ts'
import { releaseLease, takeLease } from '../tables/sql/leases.ts'

/** The content of `<data>/first-run.json`. */
export type FirstRun = {
  url: string
  /** Null when it is configured: then only the configuration has it. */
  operator_token: string | null
  team_token: string
  app_key: string
}

type Given = {
  folder: string
  url: string
  networkIds: readonly string[]
  operatorToken: string | undefined
}

const DONE = 'first_run_done'

/** Far longer than it takes: one that died in between is replaced after this. */
const LEASE = 'first-run'
const LEASE_MS = 10_000
const LOOK_AGAIN_MS = 100

const SECRET_HEX = /^[0-9a-fA-F]{64}$/

/**
 * Makes the operator's token, the default team and its app at the first start,
 * and leaves them in a file only the owner can read; later starts keep the file true. The mark
 * comes last: a crash before it makes new ones, so that nobody is locked out.
 */
export async function firstRun(
  world: World,
  /** The name of this process, under which it holds leases. */
  name: string,
  given: Given,
): Promise<FirstRun | null> {
  const { folder, url, networkIds, operatorToken } = given
  const file = join(folder, 'first-run.json')
  if (operatorToken !== undefined) await useOperatorToken(world, operatorToken)
  if (!(await isOurs(world, name))) return keptFirstRun(file, given)

  const operator_token = operatorToken === undefined ? await makeOperatorToken(world) : null
  const { team, token } = await createTeam(world.database, world, {
    name: 'Default',
    tier: 'enterprise',
  })
  const created = await createApp(world.database, world, team.id, {
    name: 'Default app',
    description: 'Made at the first start.',
    networks: networkIds,
  })
  if (created instanceof Rejection) throw new Failure('start_failed', { why: created.message })

  const made = { url, operator_token, team_token: token, app_key: created.key }
  writePrivately(file, textOf(made))
  await writeInstanceFactOnce(world.database, DONE, String(world.clock.nowMs()))
  await releaseLease(world.database, LEASE, name)
  return made
}

export async function hasRunBefore(database: Database): Promise<boolean> {
  return (await readInstanceFact(database, DONE)) !== null
}

/** False when the first run is done. Of many that start at once one does it, the others wait. */
async function isOurs({ clock, database }: World, name: string): Promise<boolean> {
  while ((await readInstanceFact(database, DONE)) === null) {
    const nowMs = clock.nowMs()
    if (await takeLease(database, LEASE, name, nowMs, nowMs + LEASE_MS)) {
      // It may have been done between our look and the lease.
      return (await readInstanceFact(database, DONE)) === null
    }
    await clock.sleep(LOOK_AGAIN_MS)
  }
  return false
}

async function makeOperatorToken(world: World): Promise<string> {
  const operator = { kind: 'operator', teamId: null, name: 'first' } as const
  return (await createToken(world.database, world, operator)).token
}

async function useOperatorToken(world: World, token: string): Promise<void> {
  if (await setOperatorToken(world.database, world, token)) return
  throw new Failure('start_failed', { reason: 'operatorToken is the token of a team' })
}

/** The instance's secret: given, or made once, before the store is, and kept beside it. */
export function instanceSecret(
  folder: string,
  given: string | undefined,
  entropy: Entropy,
  hasStore: boolean,
): Uint8Array {
  if (given !== undefined) return Uint8Array.fromHex(given)
  const file = join(folder, 'instance-secret')
  if (existsSync(file)) return keptSecret(file)
  if (hasStore) throw new Failure('start_failed', { reason: lostSecret(folder) })
  const secret = entropy.bytes(32)
  writePrivately(file, `${secret.toHex()}\n`)
  return secret
}

/** A new one would fit none of the stored keys, and nobody would notice before they are needed. */
function lostSecret(folder: string): string {
  return (
    `${folder} has a store but no instance-secret, and no secret is configured. Without it none ` +
    'of the stored keys can be read. Put the file back from your backup, or configure secret ' +
    '(HEADGATE_SECRET). If it is lost for good, write 64 new hex digits to the file (openssl ' +
    'rand -hex 32) and rotate the key of every app and webhook'
  )
}

/** Another secret would lock up every stored key, so a spoilt file is not replaced. */
function keptSecret(file: string): Uint8Array {
  const text = readFileSync(file, 'utf8').trim()
  if (SECRET_HEX.test(text)) return Uint8Array.fromHex(text)
  throw new Failure('start_failed', { reason: `${file} does not hold 64 hex digits` })
}

/** Null when the file is gone or was changed: the service runs without it. */
function keptFirstRun(file: string, { url, operatorToken }: Given): FirstRun | null {
  const found = readFirstRun(file)
  if (!found) return null
  const operator_token = operatorToken === undefined ? found.operator_token : null
  const kept = { ...found, url, operator_token }
  if (textOf(kept) !== textOf(found)) writePrivately(file, textOf(kept))
  return kept
}

function readFirstRun(file: string): FirstRun | null {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as FirstRun | null
    return typeof found?.app_key === 'string' ? found : null
  } catch {
    return null
  }
}

function textOf(firstRun: FirstRun): string {
  return `${JSON.stringify(firstRun, null, 2)}\n`
}

/** Whole or not at all, and never readable by others, not even for a moment. */
function writePrivately(file: string, text: string): void {
  const draft = `${file}.new`
  writeFileSync(draft, text, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createCipheriv } from 'node:crypto'
import { freshStore } from '../../../tests/fresh-store.ts'
import { TEAM_A, webhookCalled } from '../../../tests/support/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { appKeyPlace, signingKeyPlace } from '../../ports/secrets.ts'
import { openSecrets } from '../../system/machine/secrets.ts'
import { systemEntropy } from '../../system/machine/system-entropy.ts'
import { changeWebhook, createWebhook, findWebhook } from '../webhooks/webhooks.ts'
import { findApp, insertApp } from './apps.ts'
import { bindKeys } from './bind-keys.ts'
import { insertTeam } from './teams.ts'

const SECRET = new Uint8Array(32).fill(7)
const entropy = systemEntropy()
const secrets = openSecrets(SECRET, entropy)

let database: Database

beforeEach(async () => {
  database = await freshStore()
  const team = { id: TEAM_A, name: '', tier: 'free', autoscaling: false, createdAtMs: 1 }
  await insertTeam(database, team)
})

afterEach(() => database.close())

/** As versions before sealed it: `v1.` is all that is authenticated beside the text. */
function sealedUnbound(plain: string): string {
  const nonce = entropy.bytes(12)
  const cipher = createCipheriv('aes-256-gcm', SECRET, nonce)
  cipher.setAAD(Buffer.from('v1.'))
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url')}`
}

async function addApp(id: string, sealed: string): Promise<void> {
  const app = {
    id,
    teamId: TEAM_A,
    name: '',
    description: '',
    networks: [],
    isActive: true,
    allow: { origins: [], ips: [], methods: [], contracts: [] },
  }
  await insertApp(database, { ...app, createdAtMs: 1 }, { hash: id, sealed })
}

async function addWebhook(id: string, sealed: string): Promise<void> {
  await createWebhook(database, webhookCalled(id), sealed, 10)
}

async function appKey(id: string): Promise<string> {
  const sealed = (await findApp(database, TEAM_A, id))?.keySealed ?? ''
  return secrets.open(sealed, appKeyPlace(id))
}

async function webhookKeys(id: string): Promise<(string | null)[]> {
  const found = await findWebhook(database, TEAM_A, id)
  const open = (sealed: string | null | undefined) =>
    typeof sealed === 'string' ? secrets.open(sealed, signingKeyPlace(id)) : null
  return [found?.key.sealed, found?.key.previousSealed, found?.nextKeySealed].map(open)
}

test('keys of an earlier version are read after an upgrade, and each is tied to its row', async () => {
  await addApp('app_a', sealedUnbound('key a'))
  await addApp('app_b', sealedUnbound('key b'))
  await addWebhook('wh_a', sealedUnbound('whsec_old'))
  const newKey = { sealed: sealedUnbound('whsec_new'), previousUntilMs: 9 }
  await changeWebhook(database, TEAM_A, 'wh_a', { newKey })
  await changeWebhook(database, TEAM_A, 'wh_a', { nextKeySealed: sealedUnbound('whsec_next') })

  expect(await bindKeys(database, secrets)).toBe(3)
  expect([await appKey('app_a'), await appKey('app_b')]).toEqual(['key a', 'key b'])
  expect(await webhookKeys('wh_a')).toEqual(['whsec_new', 'whsec_old', 'whsec_next'])
  // Again at the next start, which finds nothing to do.
  expect(await bindKeys(database, secrets)).toBe(0)

  await database.query(sql`UPDATE apps SET key_sealed =
    (SELECT key_sealed FROM apps WHERE id = 'app_b') WHERE id = 'app_a'`)
  expect(appKey('app_a')).rejects.toMatchObject({ code: 'secret_unreadable' })
  expect(await appKey('app_b')).toBe('key b')
})

test('an unbound key that appears among bound ones is not made readable', async () => {
  await addApp('app_a', secrets.seal('key a', appKeyPlace('app_a')))
  await addWebhook('wh_mine', sealedUnbound('somebody else’s, from an old copy'))
  expect(await bindKeys(database, secrets)).toBe(0)
  expect(webhookKeys('wh_mine')).rejects.toMatchObject({ code: 'secret_unreadable' })
})

test('a key that cannot be read keeps no other from being bound', async () => {
  await addApp('app_a', 'nonsense')
  await addApp('app_b', sealedUnbound('key b'))
  await bindKeys(database, secrets)
  expect(await appKey('app_b')).toBe('key b')
  expect(appKey('app_a')).rejects.toMatchObject({ code: 'secret_unreadable' })
})

test('a start with a wrong secret spoils nothing', async () => {
  await addApp('app_a', sealedUnbound('key a'))
  const wrong = openSecrets(entropy.bytes(32), entropy)
  await bindKeys(database, wrong)
  await addApp('app_b', wrong.seal('made meanwhile', appKeyPlace('app_b')))
  await bindKeys(database, secrets)
  expect(await appKey('app_a')).toBe('key a')
})

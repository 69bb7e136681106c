import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { confirm } from '../../terminal/confirm.ts'
import { agoText, shortHash } from '../../terminal/formats.ts'
import { readText } from '../queries/query-source.ts'
import { rotateSigningKey } from '../webhooks/change-webhook.ts'
import { findApp } from './apps.ts'

type Owner = { id: string; name: string; key: string; time_created: number }

type Key = Owner & { kind: 'app' | 'signing' | 'jwt' }

type RotateOptions = { prepare?: boolean; yes?: boolean }

/** Lists all keys of the team: of apps, of webhooks' signatures, and for JSON Web Tokens. */
export async function listKeys(
  { client, terminal, clock }: Calling,
  { show = false }: { show?: boolean },
): Promise<void> {
  const [apps, webhooks, jwt] = await Promise.all([
    client.call('listApps'),
    client.call('listWebhooks'),
    client.call('listJwtKeys'),
  ])
  const ofWebhooks = webhooks.data.map((one) => ({ ...one, key: one.signing_key }))
  const ofTokens = jwt.data.map((one) => ({ ...one, key: one.algorithm }))
  const listed = (kind: Key['kind'], list: readonly Owner[]) =>
    list.map(({ id, name, key, time_created }): Key => ({ kind, id, name, key, time_created }))
  const keys = [
    ...listed('app', apps.data),
    ...listed('signing', ofWebhooks),
    ...listed('jwt', ofTokens),
  ]
  const hidden = (key: string) => (show ? key : shortHash(key))
  terminal.show(
    keys.map((key) => ({ ...key, key: hidden(key.key) })),
    () => {
      if (keys.length === 0) return terminal.say('The team has no keys yet.')
      const nowMs = clock.nowMs()
      terminal.table<Key>(
        [
          { title: 'kind', of: ({ kind }) => kind },
          { title: 'of', of: ({ id }) => id },
          { title: 'name', of: ({ name }) => name, cut: 'end' },
          { title: 'key', of: ({ key }) => hidden(key) },
          { title: 'made', of: (one) => agoText(one.time_created, nowMs), isExtra: true },
        ],
        keys,
      )
    },
  )
}

/** Replaces the key of an app, or the signing key of a webhook. */
export async function rotateKey(
  calling: Calling,
  target: string,
  options: RotateOptions,
): Promise<void> {
  if (target.startsWith('wh_')) return rotateSigningKey(calling, target, options)
  const { client, terminal } = calling
  const { id, name } = await findApp(calling, target)
  await confirm(`Replace the key of ${id} (${name})? The old one stops within a second.`, options)
  const { data } = await client.call('rotateAppKey', { parameters: { id } })
  terminal.show(data, () => {
    terminal.facts([
      ['key', data.key],
      ...Object.entries(data.urls).map(([network, url]) => [network, url] as const),
    ])
    terminal.say('', 'The old key is refused from now on.')
  })
}

/** Registers a public key whose JSON Web Tokens are taken. */
export async function createKey(
  { client, terminal }: Calling,
  { name, publicKey }: { name: string; publicKey: string },
): Promise<void> {
  const text = await readText(publicKey)
  const { data } = await client.call('createJwtKey', {
    body: { name, public_key: publicKeyOf(text, publicKey) },
  })
  terminal.show(data, () => {
    terminal.say(`Registered the key ${terminal.colours.bold(data.id)} (${data.algorithm}).`, '')
    terminal.say(`Tokens name it as their kid, an app of yours as app, and expire within 24 hours.`)
  })
}

/** Revokes a key for JSON Web Tokens. */
export async function deleteKey(
  { client, terminal }: Calling,
  id: string,
  options: { yes?: boolean },
): Promise<void> {
  await confirm(`Revoke the key ${id}? Tokens that it signed are refused.`, options)
  await client.call('deleteJwtKey', { parameters: { id } })
  terminal.show({ id, deleted: true }, () => terminal.say(`Revoked ${id}.`))
}

/** A JWK is an object; PEM is taken as it is. */
function publicKeyOf(text: string, file: string): string | Record<string, unknown> {
  if (!text.trimStart().startsWith('{')) return text
  try {
    return JSON.parse(text)
  } catch {
    return complain(`${file} is neither PEM nor the JSON of a JWK.`, EXIT_CODES.badInput)
  }
}

import type { Command } from 'commander'
import { parseJson } from '../../../core/json/json-value.ts'
import type { Calling } from '../../connect/run-call.ts'
import { complain } from '../../terminal/complain.ts'
import { confirm } from '../../terminal/confirm.ts'
import { shortHash } from '../../terminal/formats.ts'
import { asking, callCommand, told } from '../call-command.ts'
import { findNamed } from '../plain/find-named.ts'
import { plainCommand } from '../plain/plain-command.ts'
import { sayPlain } from '../plain/plain-view.ts'
import { readText } from '../queries/query-source.ts'
import { rotateSigningKey } from '../webhooks/rotate-signing-key.ts'

export function addKeyCommands(group: Command): void {
  told(group, {
    more:
      'An app has one key, and a webhook has one signing key; rotate replaces either. create ' +
      'registers a public key for JSON Web Tokens. For tokens of the management API, see ' +
      'headgate token.',
    examples: [
      ['key list', 'all keys of the team'],
      ['key rotate Wallet', 'a new key for the app'],
    ],
  })
  callCommand(group, 'list', {
    does: 'list the team’s keys of all kinds',
    examples: [['key list --show', 'with the keys themselves']],
  })
    .option('--show', 'show the keys themselves')
    .action(asking(listKeys))

  callCommand(group, 'rotate', {
    does: 'replace the key of an app, or the signing key of a webhook',
    more: 'An app’s old key stops within a second; an old signing key also signs for 24 hours.',
    examples: [
      ['key rotate Wallet --yes', 'the key of an app'],
      ['key rotate wh_9c5v2b8n4m1k7j3h --prepare', 'show the next signing key first'],
    ],
  })
    .argument('<app or webhook>', 'an app’s id or name, or a webhook’s id')
    .option('--prepare', 'only show the next signing key')
    .option('--yes', 'do not ask')
    .action(asking(rotateKey))

  plainCommand(group, 'create', 'createJwtKey', {
    does: 'register a public key for JSON Web Tokens',
    more: 'Tokens signed with its private half can call as an app of the team, without its key.',
    flags: { public_key: '--public-key <file>' },
    complete: async (_calling, body) => {
      return { ...body, public_key: await readPublicKey(String(body.public_key)) }
    },
    fields: ['id', 'name', 'algorithm', 'time_created'],
    note: 'Tokens have its id as their kid and an app’s id as app, and expire within 24 hours.',
    examples: [['key create --name "Shop front" --public-key shop.pem', 'PEM or a JWK']],
  })
  plainCommand(group, 'delete', 'deleteJwtKey', {
    does: 'revoke a public key for JSON Web Tokens',
    arguments: { id: 'id' },
    asks: ({ id }) => `Revoke the key ${id}? Tokens that it signed are refused.`,
  })
}

async function listKeys(calling: Calling, { show = false }: { show?: boolean }): Promise<void> {
  const { client, terminal } = calling
  const [apps, webhooks, jwt] = await Promise.all([
    client.call('listApps'),
    client.call('listWebhooks'),
    client.call('listJwtKeys'),
  ])
  const keys = [
    ...apps.data.map((app) => ({ ...app, kind: 'app' })),
    ...webhooks.data.map((one) => ({ ...one, kind: 'signing', key: one.signing_key })),
    ...jwt.data.map((one) => ({ ...one, kind: 'jwt', key: one.algorithm })),
  ].map(({ kind, id, name, key, time_created }) => {
    return { kind, id, name, key: show ? key : shortHash(key), time_created }
  })
  const fields = ['kind', 'id', 'name', 'key', 'time_created']
  terminal.show(keys, () => sayPlain(calling, keys, {}, fields))
}

async function rotateKey(
  calling: Calling,
  target: string,
  options: { prepare?: boolean; yes?: boolean },
): Promise<void> {
  if (target.startsWith('wh_')) return rotateSigningKey(calling, target, options)
  const { client, terminal } = calling
  const { id, name } = await findNamed(calling, 'listApps', target)
  await confirm(`Replace the key of ${id} (${name})? The old one stops within a second.`, options)
  const { data } = await client.call('rotateAppKey', { parameters: { id } })
  terminal.show(data, () => {
    const { key, urls } = data
    sayPlain(calling, { key, urls }, {})
    terminal.say('', 'The old key is refused from now on.')
  })
}

/** A JWK becomes an object; PEM stays as it is. */
async function readPublicKey(file: string): Promise<unknown> {
  const text = await readText(file)
  if (!text.trimStart().startsWith('{')) return text
  const wrong = `${file} is neither PEM nor the JSON of a JWK.`
  return parseJson(text) ?? complain(wrong, 'badInput')
}

import type { Command } from 'commander'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { type Calling, runCall } from '../../connect/run-call.ts'
import { callCommand, callGroup } from './call-command.ts'

type Said = ConnectionOptions
type Keys = typeof import('../../calls/accounts/keys.ts')

/** `headgate key`: keys of apps, of signatures, and for JSON Web Tokens. */
export function addKeyCommand(program: Command): void {
  const group = callGroup(program, 'key', {
    does: 'see and replace keys: of apps, of signatures, for JSON Web Tokens',
    more:
      'An app has one key, made with the app; a webhook one signing key, made with the webhook. ' +
      'Both are replaced with rotate. Public keys for JSON Web Tokens are registered with create. ' +
      'Tokens of the management API are no keys: see headgate token.',
    examples: [
      ['key list', 'all that the team has'],
      ['key rotate Wallet', 'another key for the app'],
    ],
  })
  addCommands(group)
}

function addCommands(group: Command): void {
  callCommand(group, 'list', {
    does: 'list the team’s keys of all kinds',
    examples: [['key list --show', 'with the keys themselves']],
  })
    .option('--show', 'show the keys themselves')
    .action((options: Said & { show?: boolean }) =>
      run(options, (keys, calling) => keys.listKeys(calling, options)),
    )

  callCommand(group, 'rotate', {
    does: 'replace the key of an app, or the signing key of a webhook',
    more: 'An app’s old key stops within a second; an old signing key signs along for 24 hours.',
    examples: [
      ['key rotate Wallet --yes', 'the key of an app'],
      ['key rotate wh_9c5v2b8n4m1k7j3h --prepare', 'show the next signing key first'],
    ],
  })
    .argument('<app or webhook>', 'an app’s id or name, or a webhook’s id')
    .option('--prepare', 'only show the signing key that the next rotation switches to')
    .option('--yes', 'do not ask')
    .action((target: string, options: Said & { prepare?: boolean; yes?: boolean }) =>
      run(options, (keys, calling) => keys.rotateKey(calling, target, options)),
    )

  callCommand(group, 'create', {
    does: 'register a public key for JSON Web Tokens',
    more: 'Tokens signed with its private half may call as an app of the team, without its key.',
    examples: [['key create --name "Shop front" --public-key shop.pem', 'PEM or a JWK']],
  })
    .requiredOption('--name <name>', 'words of your own')
    .requiredOption('--public-key <file>', 'a file with PEM or a JWK, or - for standard input')
    .action((options: Said & { name: string; publicKey: string }) =>
      run(options, (keys, calling) => keys.createKey(calling, options)),
    )

  callCommand(group, 'delete', {
    does: 'revoke a public key for JSON Web Tokens',
    examples: [['key delete jwk_5t7y9u1i3o6p8a2s --yes', 'its tokens are refused within a second']],
  })
    .argument('<id>', 'the key’s id')
    .option('--yes', 'do not ask')
    .action((id: string, options: Said & { yes?: boolean }) =>
      run(options, (keys, calling) => keys.deleteKey(calling, id, options)),
    )
}

function run(options: Said, work: (keys: Keys, calling: Calling) => Promise<void>) {
  return runCall(options, async (calling) => {
    await work(await import('../../calls/accounts/keys.ts'), calling)
  })
}

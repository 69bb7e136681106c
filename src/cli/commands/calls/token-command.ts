import type { Command } from 'commander'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { type Calling, runCall } from '../../connect/run-call.ts'
import { callCommand, callGroup } from './call-command.ts'

type Said = ConnectionOptions
type Tokens = typeof import('../../calls/accounts/tokens.ts')

/** `headgate token`: tokens of the management API. */
export function addTokenCommand(program: Command): void {
  const group = callGroup(program, 'token', {
    does: 'make and revoke tokens of the management API',
    more: 'A token may do all that its team may, and so do these commands with HEADGATE_TOKEN.',
    examples: [
      ['token create --name ci', 'one for a script'],
      ['token create --name ci --team team_7h3j5k9l2z4x6c8v', 'by the operator, for a team'],
    ],
  })
  callCommand(group, 'list', {
    does: 'list the team’s tokens; the tokens themselves are not kept',
    examples: [['token list', 'their ids and names']],
  }).action((options: Said) => run(options, (tokens, calling) => tokens.listTokens(calling)))

  callCommand(group, 'create', {
    does: 'make a token; it is shown once',
    examples: [['token create --name ci', 'one for a script']],
  })
    .requiredOption('--name <name>', 'words of your own')
    .action((options: Said & { name: string }) =>
      run(options, (tokens, calling) => tokens.createToken(calling, options)),
    )

  callCommand(group, 'delete', {
    does: 'revoke a token',
    examples: [['token delete tok_9q8w7e6r5t4y3u2i --yes', 'without asking']],
  })
    .argument('<id>', 'the token’s id, not the token')
    .option('--yes', 'do not ask')
    .action((id: string, options: Said & { yes?: boolean }) =>
      run(options, (tokens, calling) => tokens.deleteToken(calling, id, options)),
    )
}

function run(options: Said, work: (tokens: Tokens, calling: Calling) => Promise<void>) {
  return runCall(options, async (calling) => {
    await work(await import('../../calls/accounts/tokens.ts'), calling)
  })
}

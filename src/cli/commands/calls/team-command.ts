import type { Command } from 'commander'
import type { CallerKind, ConnectionOptions } from '../../connect/connection.ts'
import { type Calling, runCall } from '../../connect/run-call.ts'
import { callCommand, callGroup, onOrOff } from './call-command.ts'

type Said = ConnectionOptions
type Teams = typeof import('../../calls/accounts/teams.ts')
type Change = Said & { autoscaling?: boolean; tier?: string }

/** `headgate team`: the team of a token, and all teams for the operator. */
export function addTeamCommand(program: Command): void {
  const group = callGroup(program, 'team', {
    does: 'see the team, and make teams as the operator',
    examples: [
      ['team get', 'the team of your token'],
      ['team create --name Payments --tier growth', 'with the operator’s token'],
    ],
  })
  addOwnCommands(group)
  addOperatorCommands(group)
}

function addOwnCommands(group: Command): void {
  callCommand(group, 'get', {
    does: 'show the team of the token, with what its tier allows',
    examples: [['team get', 'limits and all']],
  }).action((options: Said) => run(options, (teams, calling) => teams.showTeam(calling)))

  callCommand(group, 'change', {
    does: 'turn autoscaling on or off, or change the tier',
    examples: [
      ['team change --autoscaling on', 'go on past the monthly capacity'],
      ['team change --tier scale --team team_7h3j5k9l2z4x6c8v', 'with the operator’s token'],
    ],
  })
    .option('--autoscaling <on-or-off>', 'go on past the monthly capacity', onOrOff)
    .option('--tier <name>', 'another tier; it takes the operator’s token')
    .action((options: Change) => {
      const caller = options.tier === undefined ? 'team' : 'operator'
      return run(options, (teams, calling) => teams.changeTeam(calling, options), caller)
    })

  callCommand(group, 'tiers', {
    does: 'list the tiers with what each allows',
    examples: [['team tiers', 'as they are configured']],
  }).action((options: Said) => run(options, (teams, calling) => teams.listTiers(calling)))
}

function addOperatorCommands(group: Command): void {
  callCommand(group, 'list', {
    does: 'list all teams; it takes the operator’s token',
    examples: [['team list', 'oldest first']],
  }).action((options: Said) =>
    run(options, (teams, calling) => teams.listTeams(calling), 'operator'),
  )

  callCommand(group, 'create', {
    does: 'make a team; it takes the operator’s token',
    examples: [['team create --name Payments --tier growth', 'its first token is shown once']],
  })
    .requiredOption('--name <name>', 'the team’s name')
    .requiredOption('--tier <name>', 'its tier; headgate team tiers lists them')
    .action((options: Said & { name: string; tier: string }) =>
      run(options, (teams, calling) => teams.createTeam(calling, options), 'operator'),
    )
}

function run(
  options: Said,
  work: (teams: Teams, calling: Calling) => Promise<void>,
  caller: CallerKind = 'team',
) {
  const load = async (calling: Calling) => {
    await work(await import('../../calls/accounts/teams.ts'), calling)
  }
  return runCall(options, load, caller)
}

import type { Command } from 'commander'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { type Calling, runCall } from '../../connect/run-call.ts'
import { callCommand, callGroup, wholeNumber } from './call-command.ts'

type Said = ConnectionOptions
type ItemsSaid = Said & { file?: string }
type Variables = typeof import('../../calls/usage/variables.ts')

/** `headgate variable`: lists that queries name. */
export function addVariableCommand(program: Command): void {
  const group = callGroup(program, 'variable', {
    does: 'change the lists of addresses and topics that queries name',
    examples: [
      ['variable add wallets 0xdac17f958d2ee523a2206206994597c13d831ec7', 'queries write $wallets'],
      ['variable set wallets --file wallets.txt', 'exactly those of a file'],
    ],
  })
  addSeeCommands(group)
  addItemCommands(group)
  addSetCommands(group)
}

function addSeeCommands(group: Command): void {
  callCommand(group, 'list', {
    does: 'list the team’s variables',
    examples: [['variable list', 'and the webhooks that use them']],
  }).action((options: Said) => run(options, (work, calling) => work.listVariables(calling)))

  callCommand(group, 'get', {
    does: 'print the items of a variable, one a line',
    examples: [['variable get wallets > wallets.txt', 'a file for variable set']],
  })
    .argument('<name>', 'as queries write it after $')
    .option('--limit <count>', 'at most so many (default: all)', wholeNumber(1))
    .action(
      (name: string, { limit = Number.MAX_SAFE_INTEGER, ...options }: Said & { limit?: number }) =>
        run(options, (work, calling) => work.showVariable(calling, name, { limit })),
    )
}

function addItemCommands(group: Command): void {
  const add = callCommand(group, 'add', {
    does: 'add items; the first make the variable',
    examples: [
      ['variable add wallets 0xdac17f958d2ee523a2206206994597c13d831ec7', 'one'],
      ['variable add wallets --file more.txt', 'many'],
    ],
  })
  itemOptions(add).action((name: string, items: string[], options: ItemsSaid) =>
    run(options, (work, calling) => work.addToVariable(calling, name, { ...options, items })),
  )

  const remove = callCommand(group, 'remove', {
    does: 'take items away',
    examples: [['variable remove wallets 0xdac17f958d2ee523a2206206994597c13d831ec7', 'one']],
  })
  itemOptions(remove).action((name: string, items: string[], options: ItemsSaid) =>
    run(options, (work, calling) => work.removeFromVariable(calling, name, { ...options, items })),
  )
}

function addSetCommands(group: Command): void {
  const set = callCommand(group, 'set', {
    does: 'make a variable hold exactly these items',
    more: 'Adds what is missing, takes the rest away, and asks before it takes anything away.',
    examples: [
      ['variable set wallets --file wallets.txt --yes', 'from a file, in a script'],
      ['variable get a | headgate variable set b --file -', 'a copy'],
    ],
  })
  itemOptions(set)
    .option('--yes', 'do not ask')
    .action((name: string, items: string[], options: ItemsSaid & { yes?: boolean }) =>
      run(options, (work, calling) => work.setVariable(calling, name, { ...options, items })),
    )

  callCommand(group, 'delete', {
    does: 'delete a variable with all its items',
    examples: [['variable delete wallets --yes', 'queries that name it match nothing there']],
  })
    .argument('<name>', 'as queries write it after $')
    .option('--yes', 'do not ask')
    .action((name: string, options: Said & { yes?: boolean }) =>
      run(options, (work, calling) => work.deleteVariable(calling, name, options)),
    )
}

function itemOptions(command: Command): Command {
  return command
    .argument('<name>', 'as queries write it after $')
    .argument('[items...]', 'addresses, or values of 32 bytes')
    .option('--file <file>', 'more items of a file, or of - for standard input')
}

function run(options: Said, work: (variables: Variables, calling: Calling) => Promise<void>) {
  return runCall(options, async (calling) => {
    await work(await import('../../calls/usage/variables.ts'), calling)
  })
}

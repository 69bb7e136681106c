import { Argument, type Command, Option } from 'commander'
import { DEVNET_LIMITS } from '../../../ports/devnet-limits.ts'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { type Calling, runCall } from '../../connect/run-call.ts'
import { callCommand, callGroup, wholeNumber } from './call-command.ts'
import { addDevnetNodeCommands } from './devnet-node-commands.ts'

type Said = ConnectionOptions

const HEIGHTS_MAX = 64

const INBOX_DEFAULT = 'demo'

/** `headgate devnet`: the embedded chain of local development, and its inboxes. */
export function addDevnetCommand(program: Command): void {
  const group = callGroup(program, 'devnet', {
    does: 'see the embedded chain, and break it on purpose',
    more: 'The chain and the inboxes of local development. No Headgate with a configuration has them.',
    examples: [
      ['devnet status', 'the last blocks'],
      ['devnet reorg 3', 'replace the last three'],
      ['devnet inbox --follow', 'watch deliveries arrive'],
    ],
  })
  addChainCommands(group)
  addMiningCommands(group)
  addDevnetNodeCommands(group)
  addInboxCommands(group)
}

function addChainCommands(group: Command): void {
  callCommand(group, 'status', {
    does: 'show the chain and its last blocks',
    examples: [
      ['devnet status', 'the last ten heights'],
      ['devnet status --blocks 64', 'all that are known'],
    ],
  })
    .option('--blocks <heights>', 'how many heights', wholeNumber(1, HEIGHTS_MAX), 10)
    .action((options: Said & { blocks: number }) =>
      runCall(options, async (calling) => {
        const { showDevnet } = await import('../../calls/devnet/show-devnet.ts')
        await showDevnet(calling, options)
      }),
    )

  callCommand(group, 'reorg', {
    does: 'replace the last blocks by others',
    more:
      'Webhooks run the replaced heights again, and deliver them with higher sequence numbers. ' +
      'Transactions of the old blocks are mined again, unless they are dropped.',
    examples: [
      ['devnet reorg 3', 'three blocks make way for four'],
      ['devnet reorg 2 --drop', 'their transactions are gone'],
      ['devnet reorg 1 --blocks 4', 'one makes way for four'],
    ],
  })
    .argument('<depth>', 'how many blocks are replaced', wholeNumber(1, DEVNET_LIMITS.depthMax))
    .option('--drop', 'lose the transactions of the replaced blocks')
    .option(
      '--blocks <count>',
      'how many blocks come instead; more than the depth (default: one more)',
      wholeNumber(2, DEVNET_LIMITS.blocksMax),
    )
    .action((depth: number, options: Said & { blocks?: number; drop?: boolean }) =>
      change(options, (work, calling) => work.reorganise(calling, { ...options, depth })),
    )

  callCommand(group, 'send', {
    does: 'send a transaction from the first test account',
    examples: [
      ['devnet send', 'one ether to the second test account'],
      ['devnet send --kind log', 'an event, for filters of logs'],
    ],
  })
    .addOption(
      new Option('--kind <kind>', 'ether, or a token’s Transfer event')
        .choices(['transfer', 'log'])
        .default('transfer'),
    )
    .option('--to <address>', 'the receiver (default: the second test account)')
    .option('--value <amount>', 'in wei, or in units of the token')
    .action((options: Said & { kind: 'transfer' | 'log'; to?: string; value?: string }) =>
      change(options, (work, calling) => work.sendTransaction(calling, options)),
    )
}

function addMiningCommands(group: Command): void {
  callCommand(group, 'mine', {
    does: 'mine blocks now',
    examples: [
      ['devnet mine', 'one block'],
      ['devnet mine 10', 'ten of them'],
    ],
  })
    .argument('[blocks]', 'how many', wholeNumber(1, DEVNET_LIMITS.mineMax), 1)
    .action((blocks: number, options: Said) =>
      change(options, (work, calling) => work.mineBlocks(calling, blocks)),
    )

  callCommand(group, 'hold', {
    does: 'stop mining by time; blocks come on command only',
    examples: [['devnet hold', 'then devnet mine adds blocks']],
  }).action((options: Said) =>
    change(options, (work, calling) => work.changeDevnet(calling, { held: true })),
  )

  callCommand(group, 'resume', {
    does: 'resume mining by time',
    examples: [['devnet resume', 'blocks come by time again']],
  }).action((options: Said) =>
    change(options, (work, calling) => work.changeDevnet(calling, { held: false })),
  )

  callCommand(group, 'set', {
    does: 'change the time between blocks, and the traffic',
    more: 'From now on, until the chain starts anew.',
    examples: [
      ['devnet set --block-time 500', 'two blocks a second'],
      ['devnet set --traffic 20', 'twenty transactions of its own in each block'],
    ],
  })
    .option(
      '--block-time <ms>',
      'time between blocks',
      wholeNumber(DEVNET_LIMITS.blockTimeMsMin, DEVNET_LIMITS.blockTimeMsMax),
    )
    .option(
      '--traffic <count>',
      'transactions of its own in each block',
      wholeNumber(0, DEVNET_LIMITS.transactionsMax),
    )
    .action((options: Said & { blockTime?: number; traffic?: number }) =>
      change(options, (work, calling) => work.changeDevnet(calling, options)),
    )

  callCommand(group, 'drop', {
    does: 'take the chain back to a height',
    more:
      'The blocks above it are gone, as on a node that was reset, and so are transactions that ' +
      'wait. Webhooks run those heights again once they are mined anew.',
    examples: [['devnet drop 100', 'block 100 is the head']],
  })
    .argument('<height>', 'the block that becomes the head', wholeNumber(0))
    .action((height: number, options: Said) =>
      change(options, (work, calling) => work.dropBlocks(calling, height)),
    )
}

function addInboxCommands(group: Command): void {
  callCommand(group, 'inbox', {
    does: 'show what arrived at an inbox, with its marks',
    more:
      'Marks: re-run (a reorganisation replaced its height), superseded (a later one is right), ' +
      'repeat (a retry, a resend or a replay), replay, gap before (the one before is missing).',
    examples: [
      ['devnet inbox', 'the inbox demo'],
      ['devnet inbox orders --follow', 'another one, as things arrive'],
      ['devnet inbox --limit 500 --json', 'all of it, for scripts'],
    ],
  })
    .argument('[name]', 'the inbox', INBOX_DEFAULT)
    .option('-f, --follow', 'go on to show what arrives; with --json a line each')
    .option('--limit <count>', 'how many, the newest', wholeNumber(1), 20)
    .action((name: string, options: Said & { follow?: boolean; limit: number }) =>
      inbox(options, (work, calling) => work.showInbox(calling, name, options)),
    )

  callCommand(group, 'inboxes', {
    does: 'list the inboxes that something was posted to',
    examples: [['devnet inboxes', 'their names and how they answer']],
  }).action((options: Said) => inbox(options, (work, calling) => work.listInboxes(calling)))

  callCommand(group, 'answer', {
    does: 'set how an inbox answers, to see retries and pauses',
    examples: [
      ['devnet answer demo fail --status 503', 'deliveries are tried again'],
      ['devnet answer demo accept', 'as before'],
    ],
  })
    .argument('<name>', 'the inbox')
    .addArgument(
      new Argument('<behaviour>', 'how it answers').choices([
        'accept',
        'fail',
        'hang',
        'slow',
        'gone',
      ]),
    )
    .option('--status <code>', 'with fail', wholeNumber(400, 599))
    .option('--delay <ms>', 'with slow', wholeNumber(0, 60_000))
    .action(
      (name: string, behaviour: Behaviour, options: Said & { status?: number; delay?: number }) =>
        inbox(options, (work, calling) => work.setInbox(calling, name, behaviour, options)),
    )

  callCommand(group, 'empty', {
    does: 'forget what arrived at an inbox',
    examples: [['devnet empty demo', 'the way it answers stays']],
  })
    .argument('<name>', 'the inbox')
    .action((name: string, options: Said) =>
      inbox(options, (work, calling) => work.emptyInbox(calling, name)),
    )
}

type Behaviour = 'accept' | 'fail' | 'hang' | 'slow' | 'gone'
type Changes = typeof import('../../calls/devnet/change-devnet.ts')
type Inboxes = typeof import('../../calls/devnet/inbox.ts')

function change(options: Said, work: (changes: Changes, calling: Calling) => Promise<void>) {
  return runCall(options, async (calling) => {
    await work(await import('../../calls/devnet/change-devnet.ts'), calling)
  })
}

function inbox(options: Said, work: (inboxes: Inboxes, calling: Calling) => Promise<void>) {
  return runCall(options, async (calling) => {
    await work(await import('../../calls/devnet/inbox.ts'), calling)
  })
}

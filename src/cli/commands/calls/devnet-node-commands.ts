import { Argument, type Command } from 'commander'
import {
  DEVNET_NODE_BEHAVIOURS,
  DEVNET_NODE_LIMITS,
  SOLANA_DEVNET_LIMITS,
} from '../../../ports/devnet-limits.ts'
import type { ConnectionOptions } from '../../connect/connection.ts'
import { type Calling, runCall } from '../../connect/run-call.ts'
import { callCommand, wholeNumber } from './call-command.ts'

type Behaviour = (typeof DEVNET_NODE_BEHAVIOURS)[number]
type Nodes = typeof import('../../calls/devnet/devnet-nodes.ts')
type LedgerOptions = { slotTime?: number; changes?: number; hold?: boolean; resume?: boolean }

const STALL_S_MAX = DEVNET_NODE_LIMITS.stallMsMax / 1000

/** The nodes of the embedded chain, to be broken one by one, and the Solana ledger. */
export function addDevnetNodeCommands(group: Command): void {
  callCommand(group, 'upstreams', {
    does: 'list the nodes of the chain, and how each answers',
    examples: [['devnet upstreams', 'which of them are broken']],
  }).action((options: ConnectionOptions) =>
    nodes(options, (work, calling) => work.listNodes(calling)),
  )

  callCommand(group, 'upstream', {
    does: 'make a node of the chain lag, lie, fail or hang',
    more:
      'Headgate goes on with the others: `headgate network list` shows how it sees them. A node ' +
      'that lies leaves out every log and shows wrong balances.',
    examples: [
      ['devnet upstream devnet lag --blocks 5', 'it is five blocks behind'],
      ['devnet upstream devnet lie', 'webhooks read their blocks elsewhere'],
      ['devnet upstream devnet honest', 'it answers truly again'],
    ],
  })
    .argument('<name>', 'the node, as devnet upstreams lists it')
    .addArgument(new Argument('<behaviour>', 'how it answers').choices([...DEVNET_NODE_BEHAVIOURS]))
    .option(
      '--blocks <count>',
      'with lag: how many it is behind (default: 5)',
      wholeNumber(1, DEVNET_NODE_LIMITS.lagMax),
    )
    .action(
      (name: string, behaviour: Behaviour, options: ConnectionOptions & { blocks?: number }) =>
        nodes(options, (work, calling) => work.changeNode(calling, name, behaviour, options)),
    )

  callCommand(group, 'stall', {
    does: 'have no node of the chain answer for a while',
    examples: [['devnet stall 10', 'ten seconds of silence']],
  })
    .argument('<seconds>', 'how long', wholeNumber(1, STALL_S_MAX))
    .action((seconds: number, options: ConnectionOptions) =>
      nodes(options, (work, calling) => work.stallNodes(calling, seconds)),
    )

  addLedgerCommand(group)
}

function addLedgerCommand(group: Command): void {
  const { slotTimeMsMin, slotTimeMsMax, changesPerSlotMax } = SOLANA_DEVNET_LIMITS
  callCommand(group, 'solana', {
    does: 'see the Solana ledger, and change how fast it lives',
    more: 'Without an option nothing is changed. A change lasts until the next start.',
    examples: [
      ['devnet solana', 'its slot and its pace'],
      ['devnet solana --changes 500', 'a busy ledger'],
      ['devnet solana --hold', 'no slot ends by time'],
    ],
  })
    .option('--slot-time <ms>', 'time between slots', wholeNumber(slotTimeMsMin, slotTimeMsMax))
    .option(
      '--changes <count>',
      'accounts that change by themselves in each slot',
      wholeNumber(0, changesPerSlotMax),
    )
    .option('--hold', 'stop the slots')
    .option('--resume', 'let the slots go on')
    .action((options: ConnectionOptions & LedgerOptions) =>
      nodes(options, (work, calling) => work.changeLedger(calling, options)),
    )
}

function nodes(
  options: ConnectionOptions,
  work: (nodes: Nodes, calling: Calling) => Promise<void>,
) {
  return runCall(options, async (calling) => {
    await work(await import('../../calls/devnet/devnet-nodes.ts'), calling)
  })
}

import type { SolanaDevnet } from '@headgate/client'
import type { Command } from 'commander'
import { CONTRACT } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { complain } from '../../terminal/complain.ts'
import { countText } from '../../terminal/formats.ts'
import { asking, callCommand, told, wholeNumber } from '../call-command.ts'
import { plainCommand } from '../plain/plain-command.ts'
import { sayPlain } from '../plain/plain-view.ts'
import { addInboxCommands } from './inbox-commands.ts'
import { reorganise, showDevnet } from './show-devnet.ts'

type LedgerOptions = { slotTime?: number; changes?: number; hold?: boolean; resume?: boolean }

const HEIGHTS_MAX = 64

const REORGANISATION = CONTRACT.reorganiseDevnet.body?.schema.properties ?? {}

const PACE = CONTRACT.changeSolanaDevnet.body?.schema.properties ?? {}

export function addDevnetCommands(group: Command): void {
  told(group, {
    more: 'The chain and the inboxes of local development. With a configuration there are none.',
    examples: [
      ['devnet status', 'the last blocks'],
      ['devnet reorg 3', 'replace the last three'],
      ['devnet inbox --follow', 'watch deliveries arrive'],
    ],
  })
  addChainCommands(group)
  addMiningCommands(group)
  addNodeCommands(group)
  addLedgerCommand(group)
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
    .action(asking(showDevnet))

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
    .argument('<depth>', 'how many blocks are replaced', limitsOf(REORGANISATION.depth))
    .option('--drop', 'lose the transactions of the replaced blocks')
    .option(
      '--blocks <count>',
      'how many blocks come instead; more than the depth (default: one more)',
      limitsOf(REORGANISATION.blocks),
    )
    .action(asking(reorganise))

  plainCommand(group, 'send', 'sendDevnetTransaction', {
    does: 'send a transaction from the first test account',
    fields: ['transaction_hash', 'from', 'to', 'value', 'contract'],
    note: 'The next block has it.',
    examples: [
      ['devnet send', 'one ether to the second test account'],
      ['devnet send --kind log', 'an event, for filters of logs'],
    ],
  })
}

function addMiningCommands(group: Command): void {
  plainCommand(group, 'mine', 'mineDevnetBlocks', { arguments: { blocks: 'blocks' } })
  plainCommand(group, 'hold', 'changeDevnet', {
    does: 'stop mining by time; blocks come on command only',
    members: [],
    fixed: { is_held: true },
  })
  plainCommand(group, 'resume', 'changeDevnet', {
    does: 'resume mining by time',
    members: [],
    fixed: { is_held: false },
  })
  plainCommand(group, 'set', 'changeDevnet', {
    does: 'change the time between blocks and the traffic, until the next start',
    members: ['block_time_ms', 'transactions_per_block'],
    flags: { transactions_per_block: '--traffic <count>' },
  })
  plainCommand(group, 'drop', 'dropDevnetBlocks', {
    more:
      'The blocks above it are gone, as on a node that was reset, and so are pending ' +
      'transactions. Webhooks run those heights again once they are mined again.',
    arguments: { height: 'height' },
  })
}

function addNodeCommands(group: Command): void {
  plainCommand(group, 'upstreams', 'listDevnetUpstreams', {
    does: 'list the nodes of the chain, and how each responds',
  })
  plainCommand(group, 'upstream', 'changeDevnetUpstream', {
    does: 'make a node of the chain lag, lie, fail or hang',
    more:
      'Headgate continues with the others: `headgate network list` shows how it sees them. A ' +
      'node that lies leaves out every log and shows wrong balances.',
    arguments: { name: 'name', behaviour: 'behaviour' },
    flags: { blocks: '--blocks <count>' },
  })
  plainCommand(group, 'stall', 'stallDevnet', {
    does: 'let no node of the chain respond for a while',
    arguments: { seconds: 'seconds' },
    say: ({ terminal }, _nodes, { seconds }) =>
      terminal.say(`No node responds for ${countText(Number(seconds), 'second')}.`),
  })
}

function addLedgerCommand(group: Command): void {
  callCommand(group, 'solana', {
    does: 'show the Solana ledger, and change its pace',
    more: 'Without an option nothing is changed. A change lasts until the next start.',
    examples: [
      ['devnet solana', 'its slot and its pace'],
      ['devnet solana --changes 500', 'a busy ledger'],
      ['devnet solana --hold', 'no slot ends by time'],
    ],
  })
    .option('--slot-time <ms>', 'time between slots', limitsOf(PACE.slot_time_ms))
    .option(
      '--changes <count>',
      'accounts that change in each slot',
      limitsOf(PACE.changes_per_slot),
    )
    .option('--hold', 'stop the slots')
    .option('--resume', 'resume the slots')
    .action(asking(changeLedger))
}

async function changeLedger(
  calling: Calling,
  { slotTime, changes, hold, resume }: LedgerOptions,
): Promise<void> {
  const { client, terminal } = calling
  if (hold && resume) complain('Give --hold or --resume, not both.', 'badInput')
  const body = {
    ...(slotTime !== undefined && { slot_time_ms: slotTime }),
    ...(changes !== undefined && { changes_per_slot: changes }),
    ...((hold || resume) && { is_held: hold === true }),
  }
  const isChange = Object.keys(body).length > 0
  const { data }: { data: SolanaDevnet } = isChange
    ? await client.call('changeSolanaDevnet', { body })
    : await client.call('getSolanaDevnet')
  terminal.show(data, () => sayPlain(calling, data, {}))
}

function limitsOf({ minimum = 0, maximum }: { minimum?: number; maximum?: number } = {}) {
  return wholeNumber(minimum, maximum)
}

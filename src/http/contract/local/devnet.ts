import {
  choice,
  count,
  flag,
  integer,
  list,
  nullable,
  preset,
  record,
  text,
} from '../../../core/schema/schema.ts'
import { DEVNET_LIMITS } from '../../../ports/devnet-limits.ts'
import { BLOCK_NUMBER, TIME_MS } from '../fields.ts'
import { body, data, localCall, optionalBody } from '../operation.ts'

export const CHAIN_ERRORS = {
  '503': '`Unavailable`: the chain does not answer; its process may have ended.',
}

const { mineMax, depthMax, blocksMax, dropMax, transactionsMax } = DEVNET_LIMITS
const { blockTimeMsMin, blockTimeMsMax } = DEVNET_LIMITS

const HASH = text({ pattern: '^0x[0-9a-f]{64}$' })

const ADDRESS = text({
  pattern: '^0x[0-9a-fA-F]{40}$',
  'x-form': 'an address: 0x and 40 hex digits',
})

const AMOUNT = text({
  pattern: '^(0|[1-9][0-9]{0,77})$',
  'x-form': 'a whole number in decimal digits, as text',
})

const DEVNET_BLOCK = record('DevnetBlock', {
  number: BLOCK_NUMBER,
  hash: HASH,
  parent_hash: HASH,
  is_canonical: flag('False for a block that was replaced, dropped or left by `evm_revert`.'),
  transactions: count('How many it has.'),
  time: TIME_MS,
  time_replaced: nullable(integer('When it was replaced; null for a canonical block.')),
})

export const DEVNET = record('Devnet', {
  network: text('The id of the network, as webhooks name it.'),
  chain_id: integer(),
  block_time_ms: count('Time between blocks; 0 when blocks only come on command.'),
  is_held: flag('No block comes by time, only on command.'),
  transactions_per_block: count('Transactions of the chain’s own in each block.'),
  is_traffic_resting: flag(
    'Blocks come without them, since the chain’s process has more than 1.5 GiB of memory.',
  ),
  pending_transactions: count('Transactions that wait for the next block.'),
  head: record('DevnetHead', { number: BLOCK_NUMBER, hash: HASH }),
  blocks: list(
    DEVNET_BLOCK,
    'The last 64 heights, lowest first; at one height replaced blocks come before the ' +
      'canonical one. Of replaced blocks the newest 256 are known.',
  ),
})

const DEVNET_SENT = record('DevnetSent', {
  transaction_hash: HASH,
  from: text('The first test account.'),
  to: text('The account that gets the value, or is named in the event.'),
  value: AMOUNT,
  contract: nullable(text('The contract that emits the event; null for a transfer.')),
  devnet: DEVNET,
})

const MINE = record(
  'DevnetMine',
  {},
  { blocks: preset(integer({ minimum: 1, maximum: mineMax, description: 'How many blocks.' }), 1) },
)

const REORGANISATION = record(
  'DevnetReorganisation',
  { depth: integer({ minimum: 1, maximum: depthMax, description: 'How many are replaced.' }) },
  {
    blocks: integer({
      minimum: 2,
      maximum: blocksMax,
      description: 'How many replace them: more than `depth`. Without it, one more.',
    }),
    transactions: preset(
      choice(
        ['keep', 'drop'],
        'Whether transactions of replaced blocks are mined again, in the first of the new ' +
          'blocks that has room, or are gone.',
      ),
      'keep' as const,
    ),
  },
)

const DROP = record('DevnetDrop', {
  height: integer({ minimum: 0, description: 'The block that becomes the head.' }),
})

const CHANGE = record(
  'DevnetChange',
  {},
  {
    is_held: flag('True stops mining by time, false resumes it.'),
    block_time_ms: integer({
      minimum: blockTimeMsMin,
      maximum: blockTimeMsMax,
      description: 'Time between blocks from now on.',
    }),
    transactions_per_block: integer({
      minimum: 0,
      maximum: transactionsMax,
      description: 'Transactions of the chain’s own in each block from now on.',
    }),
  },
)

const SEND = record(
  'DevnetSend',
  {},
  {
    kind: preset(
      choice(
        ['transfer', 'log'],
        'A transfer of ether, or a call that emits the event ' +
          '`Transfer(address,address,uint256)` as a token does.',
      ),
      'transfer' as const,
    ),
    to: { ...ADDRESS, description: 'Without it, the second test account.' },
    value: {
      ...AMOUNT,
      description: 'In wei, or in units of the token. Without it, 1 ether or 1,000,000 units.',
    },
  },
)

const EXAMPLE = {
  network: 'ETH_DEVNET',
  chain_id: 31337,
  block_time_ms: 4000,
  is_held: false,
  transactions_per_block: 6,
  is_traffic_resting: false,
  pending_transactions: 0,
  head: { number: 2, hash: `0x${'4a'.repeat(32)}` },
  blocks: [
    {
      number: 1,
      hash: `0x${'a2'.repeat(32)}`,
      parent_hash: `0x${'7c'.repeat(32)}`,
      is_canonical: true,
      transactions: 1,
      time: 1763164800000,
      time_replaced: null,
    },
    {
      number: 2,
      hash: `0x${'f0'.repeat(32)}`,
      parent_hash: `0x${'a2'.repeat(32)}`,
      is_canonical: false,
      transactions: 0,
      time: 1763164804000,
      time_replaced: 1763164807000,
    },
    {
      number: 2,
      hash: `0x${'4a'.repeat(32)}`,
      parent_hash: `0x${'a2'.repeat(32)}`,
      is_canonical: true,
      transactions: 0,
      time: 1763164804000,
      time_replaced: null,
    },
  ],
}

export const DEVNET_CALLS = {
  getDevnet: localCall('GET /api/devnet', {
    summary: 'See the embedded chain',
    description:
      'The embedded EVM chain with its last blocks, replaced ones included, so that a fork can ' +
      'be drawn. Local development only.',
    answer: data('The chain.', DEVNET, EXAMPLE),
    errors: CHAIN_ERRORS,
  }),

  mineDevnetBlocks: localCall('POST /api/devnet/mine', {
    summary: 'Mine blocks now',
    description: 'Adds blocks at once, also while mining by time is held.',
    body: optionalBody(MINE, { blocks: 1 }),
    answer: data('The chain as it is now.', DEVNET, EXAMPLE),
    errors: CHAIN_ERRORS,
  }),

  reorganiseDevnet: localCall('POST /api/devnet/reorganise', {
    summary: 'Replace the last blocks',
    description:
      'Replaces the last `depth` blocks by other ones with other hashes, in one step that nobody ' +
      'sees half done, so that webhooks run those heights again. Transactions of the replaced ' +
      'blocks are mined again (`keep`), or are gone (`drop`). Snapshots (`evm_snapshot`) that were ' +
      'taken on a replaced block are gone with it; those of blocks before stay.',
    body: body(REORGANISATION, { depth: 2, transactions: 'keep' }),
    answer: data('The chain as it is now.', DEVNET, EXAMPLE),
    errors: {
      ...CHAIN_ERRORS,
      '400':
        '`ValidationError`: a field is wrong, the chain has fewer blocks than `depth`, or the ' +
        'fork point lies among blocks that were mined in one step.',
    },
  }),

  dropDevnetBlocks: localCall('POST /api/devnet/drop', {
    summary: 'Take the chain back to a height',
    description:
      'The blocks above `height` and all transactions that wait are gone, as on a node that was ' +
      'reset: the head is lower until blocks are mined anew, with other hashes, and webhooks run ' +
      `each of those heights again. It may lie ${dropMax} below the highest block so far.`,
    body: body(DROP, { height: 2 }),
    answer: data('The chain as it is now.', DEVNET, EXAMPLE),
    errors: {
      ...CHAIN_ERRORS,
      '400':
        '`ValidationError`: a field is wrong, or no way leads back to that height: it is not ' +
        'below the head, or too deep.',
    },
  }),

  changeDevnet: localCall('PATCH /api/devnet', {
    summary: 'Change pace and traffic',
    description:
      'Stops or resumes mining by time, or changes the time between blocks and how many ' +
      'transactions of its own the chain puts into each. One field is needed; absent ones stay.',
    body: body(CHANGE, { is_held: true, transactions_per_block: 20 }),
    answer: data('The chain as it is now.', DEVNET, {
      ...EXAMPLE,
      is_held: true,
      transactions_per_block: 20,
    }),
    errors: CHAIN_ERRORS,
  }),

  sendDevnetTransaction: localCall('POST /api/devnet/send', {
    summary: 'Send a transaction',
    description:
      'Sends a transfer, or a call that emits a token’s Transfer event, from the first test ' +
      'account, so that a filter has something to match. The next block has it.',
    body: optionalBody(SEND, { kind: 'log', value: '1000000' }),
    answer: data('The transaction, and the chain as it is now.', DEVNET_SENT, {
      transaction_hash: `0x${'9d'.repeat(32)}`,
      from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      to: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      value: '1000000',
      contract: '0x70ce2000000000000000000000000000000070ce',
      devnet: { ...EXAMPLE, pending_transactions: 1 },
    }),
    errors: {
      ...CHAIN_ERRORS,
      '400': '`ValidationError`: a field is wrong, or the chain refuses the transaction.',
    },
  }),
}

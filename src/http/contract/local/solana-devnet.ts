import { count, flag, integer, record, text } from '../../../core/schema/schema.ts'
import { SOLANA_DEVNET_LIMITS } from '../../../ports/devnet-limits.ts'
import { body, data, localCall } from '../operation.ts'

const LEDGER_ERRORS = {
  '503': '`Unavailable`: the ledger does not answer; its process may have ended.',
}

const { slotTimeMsMin, slotTimeMsMax, changesPerSlotMax } = SOLANA_DEVNET_LIMITS

export const SOLANA_DEVNET = record('SolanaDevnet', {
  network: text('The id of the network.'),
  slot: count('The slot that is being filled.'),
  block_height: count('How many blocks there have been.'),
  slot_time_ms: count('Time between slots.'),
  is_held: flag('No slot ends by time, only on command.'),
  changes_per_slot: count('About so many accounts change by themselves in each slot.'),
  token_accounts: count('The token accounts that change by themselves.'),
  transactions: count('Since the ledger began.'),
})

const PACE = record(
  'SolanaDevnetPace',
  {},
  {
    slot_time_ms: integer({
      minimum: slotTimeMsMin,
      maximum: slotTimeMsMax,
      description: 'Time between slots.',
    }),
    is_held: flag('True stops the slots, false lets them go on.'),
    changes_per_slot: integer({
      minimum: 0,
      maximum: changesPerSlotMax,
      description:
        'About so many accounts change by themselves in each slot. With 0 the ledger sends no ' +
        'transactions of its own either.',
    }),
  },
)

const EXAMPLE = {
  network: 'SOLANA_DEVNET',
  slot: 440208137,
  block_height: 137,
  slot_time_ms: 400,
  is_held: false,
  changes_per_slot: 8,
  token_accounts: 20000,
  transactions: 145,
}

export const SOLANA_DEVNET_CALLS = {
  getSolanaDevnet: localCall('GET /api/devnet/solana', {
    summary: 'See the embedded Solana ledger',
    description: 'The embedded Solana ledger and how fast it lives. Local development only.',
    answer: data('The ledger.', SOLANA_DEVNET, EXAMPLE),
    errors: LEDGER_ERRORS,
  }),

  changeSolanaDevnet: localCall('PATCH /api/devnet/solana', {
    summary: 'Change how fast the ledger lives',
    description:
      'Changes the fields that are given and leaves the rest, at once and until the next start, ' +
      'which takes them from the configuration.',
    body: body(PACE, { slot_time_ms: 100, changes_per_slot: 500 }),
    answer: data('The ledger as it is now.', SOLANA_DEVNET, {
      ...EXAMPLE,
      slot_time_ms: 100,
      changes_per_slot: 500,
    }),
    errors: LEDGER_ERRORS,
  }),
}

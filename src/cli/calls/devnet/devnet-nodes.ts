import type { DevnetUpstream, SolanaDevnet } from '@headgate/client'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { countText, numberText } from '../../terminal/formats.ts'
import type { Column } from '../../terminal/table-lines.ts'

type LedgerOptions = { slotTime?: number; changes?: number; hold?: boolean; resume?: boolean }

const COLUMNS: Column<DevnetUpstream>[] = [
  { title: 'node', of: ({ name }) => name },
  {
    title: 'answers',
    of: ({ behaviour, blocks }) => ({
      text: behaviour === 'lag' ? `lag, ${countText(blocks, 'block')} behind` : behaviour,
      colour: behaviour === 'honest' ? 'green' : 'yellow',
    }),
  },
]

/** Lists the nodes of the chain. */
export async function listNodes({ client, terminal }: Calling): Promise<void> {
  const { data } = await client.call('listDevnetUpstreams')
  terminal.show(data, () => terminal.table(COLUMNS, data))
}

/** Breaks a node, or mends it. */
export async function changeNode(
  { client, terminal }: Calling,
  name: string,
  behaviour: DevnetUpstream['behaviour'],
  { blocks }: { blocks?: number },
): Promise<void> {
  const { data } = await client.call('changeDevnetUpstream', {
    parameters: { name },
    body: { behaviour, ...(blocks !== undefined && { blocks }) },
  })
  terminal.show(data, () => terminal.table(COLUMNS, data))
}

/** Has no node answer for so long. */
export async function stallNodes({ client, terminal }: Calling, seconds: number): Promise<void> {
  const { data } = await client.call('stallDevnet', { body: { seconds } })
  terminal.show(data, () => {
    terminal.say(`No node answers for ${countText(seconds, 'second')}; blocks go on being mined.`)
  })
}

/** Shows the ledger, after what was asked to be changed. */
export async function changeLedger(
  { client, terminal }: Calling,
  { slotTime, changes, hold, resume }: LedgerOptions,
): Promise<void> {
  if (hold && resume) {
    return complain('Give --hold or --resume, not both.', EXIT_CODES.badInput)
  }
  const body = {
    ...(slotTime !== undefined && { slot_time_ms: slotTime }),
    ...(changes !== undefined && { changes_per_slot: changes }),
    ...((hold || resume) && { is_held: hold === true }),
  }
  const isChange = Object.keys(body).length > 0
  const { data } = isChange
    ? await client.call('changeSolanaDevnet', { body })
    : await client.call('getSolanaDevnet')
  terminal.show(data, () => terminal.facts(ledgerFacts(data)))
}

function ledgerFacts(ledger: SolanaDevnet): [string, string][] {
  const pace = ledger.is_held ? 'held: slots end on command only' : paceText(ledger)
  return [
    ['network', ledger.network],
    ['slot', numberText(ledger.slot)],
    ['block height', numberText(ledger.block_height)],
    ['slots', pace],
    ['changes', `about ${countText(ledger.changes_per_slot, 'account')} a slot`],
    ['token accounts', `${numberText(ledger.token_accounts)} that change by themselves`],
    ['transactions', numberText(ledger.transactions)],
  ]
}

function paceText({ slot_time_ms }: SolanaDevnet): string {
  return slot_time_ms === 0 ? 'on command only' : `one every ${slot_time_ms} ms`
}

import type { WireDevnet } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { agoText, countText, numberText, shortHash } from '../../terminal/formats.ts'
import type { Column } from '../../terminal/table-lines.ts'

type Block = WireDevnet['blocks'][number]

/** Shows the chain: how it runs, and its last blocks with those that were replaced. */
export async function showDevnet(calling: Calling, { blocks }: { blocks: number }): Promise<void> {
  const { data } = await calling.client.call('getDevnet')
  calling.terminal.show(data, () => sayDevnet(calling, data, blocks))
}

/** The chain in words, with so many of its last heights. */
export function sayDevnet({ terminal, clock }: Calling, devnet: WireDevnet, heights: number): void {
  terminal.facts([
    ['network', `${devnet.network} (chain id ${devnet.chain_id})`],
    ['head', `${numberText(devnet.head.number)}  ${devnet.head.hash}`],
    ['mining', miningText(devnet)],
    ['traffic', trafficText(devnet)],
    ['pending', countText(devnet.pending_transactions, 'transaction')],
  ])
  const last = devnet.head.number
  // A drop leaves replaced blocks above the head, as many as are known: they would bury it.
  const shown = devnet.blocks.filter(({ number }) => number > last - heights && number <= last)
  if (shown.length === 0) return
  terminal.say('')
  terminal.table(blockColumns(clock.nowMs()), shown)
}

function trafficText({ transactions_per_block, is_traffic_resting }: WireDevnet): string {
  const pace = `${countText(transactions_per_block, 'transaction')} a block`
  return is_traffic_resting ? `rests, as the chain takes much memory (else ${pace})` : pace
}

function miningText({ is_held, block_time_ms }: WireDevnet): string {
  if (is_held) return 'held: blocks come on command only'
  if (block_time_ms === 0) return 'blocks come on command only'
  return `a block every ${block_time_ms / 1000} s`
}

function blockColumns(nowMs: number): Column<Block>[] {
  return [
    { title: 'height', of: ({ number }) => number, align: 'right' },
    { title: 'hash', of: ({ hash }) => shortHash(hash) },
    { title: 'parent', of: ({ parent_hash }) => shortHash(parent_hash) },
    { title: 'transactions', of: ({ transactions }) => transactions, align: 'right' },
    { title: 'mined', of: ({ time }) => agoText(time, nowMs) },
    {
      title: 'chain',
      of: ({ is_canonical, time_replaced }) =>
        is_canonical
          ? { text: 'canonical', colour: 'green' }
          : { text: `replaced ${agoText(time_replaced ?? nowMs, nowMs)}`, colour: 'yellow' },
    },
  ]
}

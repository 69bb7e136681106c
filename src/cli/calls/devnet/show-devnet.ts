import type { WireDevnet } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { agoText, countText, numberText, shortHash } from '../../terminal/formats.ts'
import type { Column } from '../../terminal/table-lines.ts'

type Block = WireDevnet['blocks'][number]

/** Shows the chain, and its last blocks with those that were replaced. */
export async function showDevnet(calling: Calling, { blocks }: { blocks: number }): Promise<void> {
  const { data } = await calling.client.call('getDevnet')
  calling.terminal.show(data, () => sayDevnet(calling, data, blocks))
}

/** Replaces the last blocks, and shows which by which. */
export async function reorganise(
  calling: Calling,
  depth: number,
  { blocks, drop = false }: { blocks?: number; drop?: boolean },
): Promise<void> {
  const { client, terminal } = calling
  const { data: before } = await client.call('getDevnet')
  const { data } = await client.call('reorganiseDevnet', {
    body: {
      depth,
      transactions: drop ? 'drop' : 'keep',
      ...(blocks !== undefined && { blocks }),
    },
  })
  const replaced = replacedBlocks(before, data)
  terminal.show({ replaced, devnet: data }, () => {
    const added = replaced.filter(({ new_hash }) => new_hash !== null).length
    const gone = replaced.filter(({ old_hash }) => old_hash !== null).length
    const fate = drop ? 'dropped' : 'mined again'
    terminal.say(`Replaced ${countText(gone, 'block')} by ${added}; transactions are ${fate}.`, '')
    terminal.table(
      [
        { title: 'height', of: ({ height }) => height, align: 'right' },
        { title: 'old block', of: (one) => hashCell(one.old_hash, 'yellow') },
        { title: 'new block', of: (one) => hashCell(one.new_hash, 'green') },
      ],
      replaced,
    )
    const { head } = data
    terminal.say('', `The head is ${numberText(head.number)} ${shortHash(head.hash)}.`)
    terminal.say('`headgate devnet inbox` shows the deliveries that ran again.')
  })
}

function sayDevnet({ terminal, clock }: Calling, devnet: WireDevnet, heights: number): void {
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

/** Each height that has another block than before, lowest first. */
function replacedBlocks(before: WireDevnet, after: WireDevnet) {
  const old = canonicalBlocks(before)
  const now = canonicalBlocks(after)
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((height) => height >= Math.min(...now.keys()) && old.get(height) !== now.get(height))
    .toSorted((a, b) => a - b)
    .map((height) => ({
      height,
      old_hash: old.get(height) ?? null,
      new_hash: now.get(height) ?? null,
    }))
}

function canonicalBlocks({ blocks }: WireDevnet): Map<number, string> {
  const canonical = blocks.filter(({ is_canonical }) => is_canonical)
  return new Map(canonical.map(({ number, hash }) => [number, hash]))
}

function hashCell(hash: string | null, colour: 'yellow' | 'green') {
  return hash === null ? null : { text: shortHash(hash), colour }
}

import type { WireDevnet } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { countText, numberText, shortHash } from '../../terminal/formats.ts'
import { plainFacts, sayTable } from '../plain/plain-view.ts'

const FIELDS = [
  'network',
  'chain_id',
  'head.number',
  'head.hash',
  'is_held',
  'block_time_ms',
  'transactions_per_block',
  'is_traffic_resting',
  'pending_transactions',
]

const BLOCK_FIELDS = ['height', 'hash', 'state', 'transactions', 'time_mined', 'parent']

export async function showDevnet(calling: Calling, { blocks }: { blocks: number }): Promise<void> {
  const { data } = await calling.client.call('getDevnet')
  calling.terminal.show(data, () => sayDevnet(calling, data, blocks))
}

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
    const rows = replaced.map(({ height, old_hash, new_hash }) => ({
      height,
      old_block: old_hash && shortHash(old_hash),
      new_block: new_hash && shortHash(new_hash),
    }))
    sayTable(calling, ['height', 'old_block', 'new_block'], rows)
    const { head } = data
    terminal.say('', `The head is ${numberText(head.number)} ${shortHash(head.hash)}.`)
    terminal.say('`headgate devnet inbox` shows the deliveries that ran again.')
  })
}

function sayDevnet(calling: Calling, devnet: WireDevnet, heights: number): void {
  const { terminal } = calling
  terminal.facts(plainFacts(devnet, FIELDS))
  const last = devnet.head.number
  // A drop leaves replaced blocks above the head, as many as are known: they would bury it.
  const shown = devnet.blocks.filter(({ number }) => number > last - heights && number <= last)
  if (shown.length === 0) return
  terminal.say('')
  const rows = shown.map(({ number, hash, parent_hash, transactions, time, is_canonical }) => ({
    height: number,
    hash: shortHash(hash),
    parent: shortHash(parent_hash),
    transactions,
    time_mined: time,
    state: is_canonical ? 'canonical' : 'replaced',
  }))
  sayTable(calling, BLOCK_FIELDS, rows)
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

import type { WireDevnet } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { EXIT_CODES } from '../../exit-codes.ts'
import { complain } from '../../terminal/complain.ts'
import { countText, numberText, shortHash } from '../../terminal/formats.ts'
import { sayDevnet } from './show-devnet.ts'

type ReorganiseOptions = { depth: number; blocks?: number; drop?: boolean }

type DevnetChange = { held?: boolean; blockTime?: number; traffic?: number }

type SendOptions = { kind: 'transfer' | 'log'; to?: string; value?: string }

const HELD = 'Mining by time is held; `headgate devnet mine` adds a block.'
const RESUMED = 'Mining by time goes on.'

/** Mines blocks now. */
export async function mineBlocks(calling: Calling, blocks: number): Promise<void> {
  const { data } = await calling.client.call('mineDevnetBlocks', { body: { blocks } })
  calling.terminal.show(data, () => {
    calling.terminal.say(`Mined ${countText(blocks, 'block')}.`, '')
    sayDevnet(calling, data, blocks)
  })
}

/** Replaces the last blocks, and shows which by which. */
export async function reorganise(
  calling: Calling,
  { depth, blocks, drop = false }: ReorganiseOptions,
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

/** Takes the chain back to a height. */
export async function dropBlocks(calling: Calling, height: number): Promise<void> {
  const { client, terminal } = calling
  const { data: before } = await client.call('getDevnet')
  const { data } = await client.call('dropDevnetBlocks', { body: { height } })
  terminal.show(data, () => {
    const dropped = countText(before.head.number - data.head.number, 'block')
    terminal.say(`Dropped ${dropped}: the head is ${data.head.number}.`, '')
    sayDevnet(calling, data, 1)
  })
}

/** Stops mining by time or resumes it, or changes the time between blocks and the traffic. */
export async function changeDevnet(
  calling: Calling,
  { held, blockTime, traffic }: DevnetChange,
): Promise<void> {
  const body = {
    ...(held !== undefined && { is_held: held }),
    ...(blockTime !== undefined && { block_time_ms: blockTime }),
    ...(traffic !== undefined && { transactions_per_block: traffic }),
  }
  if (Object.keys(body).length === 0) {
    return complain('What shall change? Give --block-time or --traffic.', EXIT_CODES.badInput)
  }
  const { data } = await calling.client.call('changeDevnet', { body })
  calling.terminal.show(data, () => {
    if (held !== undefined) calling.terminal.say(held ? HELD : RESUMED, '')
    sayDevnet(calling, data, 1)
  })
}

/** Sends a transaction, so that a filter has something to match. */
export async function sendTransaction(
  { client, terminal }: Calling,
  { kind, to, value }: SendOptions,
): Promise<void> {
  const { data } = await client.call('sendDevnetTransaction', {
    body: { kind, ...(to !== undefined && { to }), ...(value !== undefined && { value }) },
  })
  terminal.show(data, () => {
    terminal.say(`Sent a ${kind === 'log' ? 'Transfer event' : 'transfer'}.`, '')
    terminal.facts([
      ['transaction', data.transaction_hash],
      ['from', data.from],
      ['to', data.to],
      ['value', `${numberText(data.value)} ${data.contract ? 'units' : 'wei'}`],
      ['contract', data.contract],
    ])
    const { is_held, block_time_ms } = data.devnet
    if (is_held || block_time_ms === 0) {
      terminal.say('', 'It waits for the next block: `headgate devnet mine`.')
    }
  })
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

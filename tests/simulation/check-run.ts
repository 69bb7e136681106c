import { readChain } from '../../src/tables/chain/chain-tail.ts'
import { sequenceAt } from '../support/deliveries/webhook-store.ts'
import type { SimBlock } from './chain-block.ts'
import { checkDeliveries } from './check-deliveries.ts'
import { BEFORE_ALL } from './customers.ts'
import type { Run } from './sim-run.ts'
import { NETWORK } from './sim-store.ts'

/** The canonical chain as the events tell it: the last event of each height. */
type Told = { first: number; blocks: SimBlock[]; sequences: number[]; deepest: number }

/** The promises about events that did not hold. */
export function checkRun(run: Run): string[] {
  const told = replay(run)
  if (typeof told === 'string') return [told]
  return [
    ...checkFinal(run, told),
    ...checkTail(run, told),
    ...checkSpans(run, told),
    ...checkDeliveries(run),
  ]
}

/** Most blocks that one event replaced. */
export function deepestIn(run: Run): number {
  const told = replay(run)
  return typeof told === 'string' ? 0 : told.deepest
}

/** Follows the events as a receiver would: each stands on the one below it, none is repeated. */
function replay({ events, tree }: Run): Told | string {
  const told: Told = { first: 0, blocks: [], sequences: [], deepest: 0 }
  let finalized = 0
  for (const [at, event] of events.entries()) {
    const name = `event ${event.sequence_number}`
    if (event.sequence_number !== BEFORE_ALL + 1 + at) return `${name} comes out of turn`
    const block = tree.byHash(event.tip_hash)
    if (!block || block.number !== event.tip_number) return `${name} is of a block that is none`
    if (at === 0) told.first = block.number
    const fault = placeFault(told, block, finalized)
    if (fault) return `${name}, block ${block.name}, ${fault}`
    const height = block.number - told.first
    told.deepest = Math.max(told.deepest, told.blocks.length - height)
    told.blocks.length = height
    told.sequences.length = height
    told.blocks.push(block)
    told.sequences.push(event.sequence_number)
    finalized = Math.max(finalized, event.finalized ?? 0)
  }
  return told
}

function placeFault({ first, blocks }: Told, block: SimBlock, finalized: number): string | null {
  if (blocks.length === 0) return null
  const height = block.number - first
  if (height < 0 || height > blocks.length) return 'leaves a gap'
  if (blocks[height] === block) return 'is canonical already'
  if (height < blocks.length && block.number <= finalized) return `goes back past ${finalized}`
  if (height === 0) return null
  return blocks[height - 1]?.hash === block.parentHash ? null : 'does not stand on the one before'
}

function checkFinal({ tree, events }: Run, { first, blocks }: Told): string[] {
  const final: SimBlock[] = []
  for (let block = tree.tip(); block.number >= first; ) {
    final.unshift(block)
    if (!block.parent) break
    block = block.parent
  }
  if (events.length === 0) return ['there were no events']
  return final.flatMap((block, at) =>
    blocks[at] === block
      ? []
      : [
          `at ${block.number} the last event is of ${blocks[at]?.name ?? 'none'}, not ${block.name}`,
        ],
  )
}

/** The stored tail is the end of what the events told. */
function checkTail({ store, clock }: Run, { first, blocks }: Told): string[] {
  const stored = clock.settle(readChain(store.database, NETWORK), 0)
  const headers = stored?.headers ?? []
  const complaints = headers.flatMap(({ number, hash }) =>
    blocks[number - first]?.hash === hash ? [] : [`the stored tail has ${hash} at ${number}`],
  )
  if (headers.at(-1)?.hash !== blocks.at(-1)?.hash) complaints.push('the tail ends elsewhere')
  return complaints
}

/** In the end the store has for each height what the last event said of it. */
function checkSpans({ store, clock }: Run, { first, sequences }: Told): string[] {
  const at = (number: number) => clock.settle(sequenceAt(store.database, NETWORK, number), 0)
  const complaints: string[] = []
  for (const [height, sequence] of sequences.entries()) {
    const stored = at(first + height)
    if (stored !== sequence) {
      complaints.push(`height ${first + height} is said to have ${stored}, not ${sequence}`)
    }
  }
  const above = at(first + sequences.length)
  if (above !== null) complaints.push(`a height above the tip is said to have ${above}`)
  return complaints
}

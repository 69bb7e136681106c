import type { Block, BlockTransaction } from '../../chain/block.ts'
import { type Item, placeOf, scanItems } from '../items/item-filter.ts'
import { isWide } from '../items/scalar-text.ts'
import type { Part, Shape } from './shapes.ts'

/** One block while queries are answered for it. */
export type Run = {
  readonly block: Block
  /** How long a result may be, and so anything in it. */
  readonly bytesMax: number
  /** Whether text beyond ASCII was written: only then do bytes and characters differ. */
  isWide: boolean
  /** Shapes that keep what they wrote. */
  readonly keeping: Shape[]
  /** The texts around the lists, by frame. */
  readonly frames: Map<object, readonly string[]>
}

export function openRun(block: Block, bytesMax: number): Run {
  return { block, bytesMax, isWide: false, keeping: [], frames: new Map() }
}

/** Lets go of everything that was written for the block. */
export function closeRun(run: Run): void {
  for (const shape of run.keeping) shape.kept = null
}

/**
 * An item as its shape wants it, written once a block however many queries and lists
 * it is in; null when it is longer than a whole result may be. Texts are put together
 * without copying (the runtime joins strings when they are read), so that a nested
 * query costs the items it names, however long its result would have become.
 */
export function itemText(run: Run, shape: Shape, item: Item): string | null {
  return keptText(run, shape, placeOf(item), item)
}

/** Items as a list; null when it is longer than a whole result may be. */
export function listText(run: Run, shape: Shape, items: readonly Item[]): string | null {
  const { lists } = keptOf(run, shape)
  const known = lists.get(items)
  if (known !== undefined) return known
  let text = '['
  for (const item of items) {
    const written = itemText(run, shape, item)
    if (written === null || text.length > run.bytesMax) return keep(lists, items, null)
    text += text.length === 1 ? written : `,${written}`
  }
  return keep(lists, items, `${text}]`)
}

export function bytesOf(run: Run, text: string): number {
  return run.isWide ? Buffer.byteLength(text) : text.length
}

function keep<K, V>(kept: Map<K, V>, key: K, value: V): V {
  kept.set(key, value)
  return value
}

function keptOf(run: Run, shape: Shape): NonNullable<Shape['kept']> {
  if (shape.kept) return shape.kept
  run.keeping.push(shape)
  shape.kept = { items: [], lists: new Map() }
  return shape.kept
}

function keptText(run: Run, shape: Shape, place: number, item: object): string | null {
  const { items } = keptOf(run, shape)
  const known = items[place]
  if (known !== undefined) return known
  const text = objectText(run, shape, item)
  items[place] = text
  return text
}

function objectText(run: Run, shape: Shape, item: unknown): string | null {
  const { parts } = shape
  if (parts.length === 0) return '{}'
  let text = ''
  for (const part of parts) {
    const value = partText(run, part, item)
    if (value === null) return null
    text += part.glue + value
    if (text.length > run.bytesMax) return null
  }
  return `${text}}`
}

/** The value of one field; also for the fields of the block a query is about. */
export function partText(run: Run, part: Part, item: unknown): string | null {
  const { rule } = part
  // A rule is for the items of its entity, which the plan made sure of.
  const it = item as never
  const shape = part.shape as Shape
  switch (rule.kind) {
    case 'scalar':
      return rule.write(it)
    case 'words':
      return noteWide(run, rule.write(it))
    case 'account': {
      const address = rule.address(it)
      return address === null ? 'null' : objectText(run, shape, address)
    }
    case 'transaction':
      return itemText(run, shape, rule.transaction(it))
    case 'transactionLogs':
      return listText(run, shape, (item as BlockTransaction).logs)
    case 'records': {
      const records = rule.records(it)
      return records === null ? 'null' : recordsText(run, shape, records)
    }
    case 'sameBlock':
      return keptText(run, shape, 0, run.block)
    case 'parent':
      return run.block.header.number === 0 ? 'null' : objectText(run, shape, run.block)
    case 'blockList':
      return listText(run, shape, scanItems(run.block, rule.list, part.filter))
  }
}

/** A list of what has no place in the block, such as withdrawals. */
function recordsText(run: Run, shape: Shape, records: readonly object[]): string | null {
  let text = '['
  for (const record of records) {
    const written = objectText(run, shape, record)
    if (written === null || text.length > run.bytesMax) return null
    text += text.length === 1 ? written : `,${written}`
  }
  return `${text}]`
}

function noteWide(run: Run, text: string): string {
  if (isWide(text)) run.isWide = true
  return text
}

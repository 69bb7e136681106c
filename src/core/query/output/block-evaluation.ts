import type { Block, BlockTransaction } from '../../chain/block.ts'
import { type Item, positionOf, scanItems } from '../items/item-filter.ts'
import { hasNonAscii } from '../items/scalar-text.ts'
import type { FieldTemplate, FragmentTemplate } from './fragment-templates.ts'

export type BlockEvaluation = {
  readonly block: Block
  /** Limits a result, and so everything in it. */
  readonly bytesMax: number
  /** Whether text beyond ASCII was written: only then do bytes and characters differ. */
  hasNonAscii: boolean
  readonly cachingTemplates: FragmentTemplate[]
  /** The texts around the lists, by result template. */
  readonly templateTexts: Map<object, readonly string[]>
}

export function openEvaluation(block: Block, bytesMax: number): BlockEvaluation {
  return { block, bytesMax, hasNonAscii: false, cachingTemplates: [], templateTexts: new Map() }
}

export function closeEvaluation(evaluation: BlockEvaluation): void {
  for (const template of evaluation.cachingTemplates) template.cache = null
}

/**
 * An item as its template says, written once a block however many queries and lists
 * it is in; null when it is longer than a whole result may be. Texts are put together
 * without copying (the runtime joins strings when they are read), so that a nested
 * query costs the items it names, however long its result would have become.
 */
export function itemText(
  evaluation: BlockEvaluation,
  template: FragmentTemplate,
  item: Item,
): string | null {
  return cachedText(evaluation, template, positionOf(item), item)
}

/** Items as a list; null when it is longer than a whole result may be. */
export function listText(
  evaluation: BlockEvaluation,
  template: FragmentTemplate,
  items: readonly Item[],
): string | null {
  const { lists } = cacheOf(evaluation, template)
  const known = lists.get(items)
  if (known !== undefined) return known
  let text = '['
  for (const item of items) {
    const written = itemText(evaluation, template, item)
    if (written === null || text.length > evaluation.bytesMax) return cache(lists, items, null)
    text += text.length === 1 ? written : `,${written}`
  }
  return cache(lists, items, `${text}]`)
}

export function bytesOf(evaluation: BlockEvaluation, text: string): number {
  return evaluation.hasNonAscii ? Buffer.byteLength(text) : text.length
}

function cache<K, V>(cached: Map<K, V>, key: K, value: V): V {
  cached.set(key, value)
  return value
}

function cacheOf(
  evaluation: BlockEvaluation,
  template: FragmentTemplate,
): NonNullable<FragmentTemplate['cache']> {
  if (template.cache) return template.cache
  evaluation.cachingTemplates.push(template)
  template.cache = { items: [], lists: new Map() }
  return template.cache
}

function cachedText(
  evaluation: BlockEvaluation,
  template: FragmentTemplate,
  position: number,
  item: object,
): string | null {
  const { items } = cacheOf(evaluation, template)
  const known = items[position]
  if (known !== undefined) return known
  const text = objectText(evaluation, template, item)
  items[position] = text
  return text
}

function objectText(
  evaluation: BlockEvaluation,
  template: FragmentTemplate,
  item: unknown,
): string | null {
  const { fields } = template
  if (fields.length === 0) return '{}'
  let text = ''
  for (const field of fields) {
    const value = fieldText(evaluation, field, item)
    if (value === null) return null
    text += field.prefix + value
    if (text.length > evaluation.bytesMax) return null
  }
  return `${text}}`
}

export function fieldText(
  evaluation: BlockEvaluation,
  field: FieldTemplate,
  item: unknown,
): string | null {
  const { rule } = field
  // A rule is for the items of its entity, which the plan made sure of.
  const it = item as never
  const template = field.template as FragmentTemplate
  switch (rule.kind) {
    case 'scalar':
      return rule.write(it)
    case 'freeText':
      return noteNonAscii(evaluation, rule.write(it))
    case 'account': {
      const address = rule.address(it)
      return address === null ? 'null' : objectText(evaluation, template, address)
    }
    case 'transaction':
      return itemText(evaluation, template, rule.transaction(it))
    case 'transactionLogs':
      return listText(evaluation, template, (item as BlockTransaction).logs)
    case 'records': {
      const records = rule.records(it)
      return records === null ? 'null' : recordsText(evaluation, template, records)
    }
    case 'sameBlock':
      return cachedText(evaluation, template, 0, evaluation.block)
    case 'parent':
      return evaluation.block.header.number === 0
        ? 'null'
        : objectText(evaluation, template, evaluation.block)
    case 'blockList':
      return listText(evaluation, template, scanItems(evaluation.block, rule.list, field.filter))
  }
}

/** A list of records that have no position in the block, such as withdrawals. */
function recordsText(
  evaluation: BlockEvaluation,
  template: FragmentTemplate,
  records: readonly object[],
): string | null {
  let text = '['
  for (const record of records) {
    const written = objectText(evaluation, template, record)
    if (written === null || text.length > evaluation.bytesMax) return null
    text += text.length === 1 ? written : `,${written}`
  }
  return `${text}]`
}

function noteNonAscii(evaluation: BlockEvaluation, text: string): string {
  if (hasNonAscii(text)) evaluation.hasNonAscii = true
  return text
}

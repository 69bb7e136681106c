import type { BlockWants } from '../../chain/block.ts'
import type { FilterEntry } from '../index/list-index.ts'
import type { SmallSet } from '../keys/small-set.ts'
import type { FragmentTemplate } from '../output/fragment-templates.ts'
import type { ResultTemplate } from '../output/result-template.ts'

/** The standing queries with equal plans. They always have the same result, written once. */
export type QueryClass = {
  readonly group: QueryGroup
  /** One filter for each of the group's lists, in their order. */
  readonly filters: readonly FilterEntry<QueryClass>[]
  /** It tells senders or finds by them; a matter of filters too, so not the group's. */
  readonly usesSenders: boolean
  queries: SmallSet<RegisteredQuery> | undefined
  /** The number of the run in which it last found something. */
  foundIn: number
}

/** Query classes that differ in filters alone: where nothing is found they have one result. */
export type QueryGroup = {
  readonly key: string
  readonly number: number
  readonly template: ResultTemplate
  readonly listTemplates: readonly FragmentTemplate[]
  readonly wants: BlockWants
  classCount: number
  /** The queries that get a result even if it is empty, and their ids beside them. */
  readonly alwaysDue: RegisteredQuery[]
  readonly alwaysDueIds: string[]
}

export type RegisteredQuery = {
  readonly id: string
  readonly queryClass: QueryClass
  /** Its position in the group's `alwaysDue`; -1 when it skips empty results. */
  alwaysDueAt: number
}

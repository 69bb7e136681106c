import type { BlockWants } from '../../chain/block.ts'
import type { Watch } from '../index/list-index.ts'
import type { Bag } from '../keys/bag.ts'
import type { Frame } from '../output/frame.ts'
import type { Shape } from '../output/shapes.ts'

/** Everything that is equal for queries with equal plans; they are answered together. */
export type Standing = {
  readonly group: Group
  /** What fills each of the group's lists. */
  readonly watches: readonly Watch<Standing>[]
  members: Bag<Member> | undefined
  /** The number of the run in which it last found something. */
  foundIn: number
}

/** Queries that differ in filters alone: where nothing is found they have one result. */
export type Group = {
  readonly key: string
  readonly number: number
  readonly frame: Frame
  /** How the items of each list directly under `block` are written. */
  readonly shapes: readonly Shape[]
  readonly wants: BlockWants
  standings: number
  /** Those who get a result even if it is empty, and their ids beside them. */
  readonly due: Member[]
  readonly dueIds: string[]
}

/** One query by its id. */
export type Member = {
  readonly id: string
  readonly standing: Standing
  /** Its place among those of its group that are always due; -1 when it skips empty results. */
  dueAt: number
}

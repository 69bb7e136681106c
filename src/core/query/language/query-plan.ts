import type { BlockWants } from '../../chain/block.ts'

export type EntityName =
  | 'Block'
  | 'Account'
  | 'Withdrawal'
  | 'AccessListEntry'
  | 'Transaction'
  | 'Log'
  | 'CallTracerTrace'

export type QueryPlan = {
  /** The text before and after the block in the result: its name, and `__typename` if asked. */
  root: { before: string; after: string }
  selection: SelectionSet
  wants: BlockWants
  /** The team variables that it names, each once. */
  variables: readonly VariableUse[]
  /** The block that `block(hash:)` or `block(number:)` asks for; only a dry run reads it. */
  dryRunBlock: { hash: string } | { number: number } | null
}

export type VariableKind = 'Address' | 'Bytes32'

export type VariableUse = { name: string; kind: VariableKind }

/**
 * Fields merged and in the order of the response, fragments and directives resolved.
 * `key` is equal for equal selections on the same type, filters and aliases included.
 */
export type SelectionSet = { on: EntityName; key: string; fields: readonly SelectedField[] }

export type SelectedField = {
  responseName: string
  name: string
  /** Null for a scalar, a list of scalars included. */
  selection: SelectionSet | null
  /** Null where anything matches; only for the three lists of Block. */
  filter: ListFilter | null
}

export type ListFilter =
  | { kind: 'logs'; addresses: KeyTest | null; topics: readonly (KeyTest | null)[] }
  | { kind: 'pairs'; pairs: readonly AddressPair[] }

/** Both must hold; null holds for anything, a missing address included. */
export type AddressPair = { from: KeyTest | null; to: KeyTest | null }

/**
 * Literal keys are in lower case, each once, at least one. A variable that is
 * missing or empty matches nothing.
 */
export type KeyTest = { kind: 'keys'; keys: readonly string[] } | { kind: 'variable'; name: string }

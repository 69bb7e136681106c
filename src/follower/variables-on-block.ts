import type { Block } from '../core/chain/block.ts'
import { type KeySet, openKeySet } from '../core/query/keys/key-set.ts'
import type { VariableKind, VariableUse } from '../core/query/language/query-plan.ts'
import type { Database } from '../ports/database.ts'
import { findVariable, itemsAmong } from '../tables/webhooks/variables.ts'

/** By name, each with those of its items that a block can match. */
type VariablesOnBlock = { sets: ReadonlyMap<string, KeySet>; missing: readonly string[] }

/**
 * A team's variables as far as one block asks for them. A block has some thousand keys and
 * a variable up to ten million, so the keys are looked up instead of the variable read.
 */
export async function variablesOnBlock(
  database: Database,
  teamId: string,
  used: readonly VariableUse[],
  block: Block,
): Promise<VariablesOnBlock> {
  const sets = new Map<string, KeySet>()
  const missing: string[] = []
  for (const { name, kind } of used) {
    const variable = await findVariable(database, teamId, name)
    if (!variable) {
      missing.push(name)
      continue
    }
    const set = openKeySet()
    for (const item of await itemsAmong(database, variable.id, keysOf(block, kind))) set.add(item)
    sets.set(name, set)
  }
  return { sets, missing }
}

function keysOf({ transactions, logs, traces }: Block, kind: VariableKind): string[] {
  const keys = new Set<string | null>()
  if (kind === 'Bytes32') {
    for (const { topics } of logs) for (const topic of topics) keys.add(topic)
  } else {
    for (const { address } of logs) keys.add(address)
    for (const { from, to } of [...transactions, ...traces]) keys.add(from).add(to)
  }
  return [...keys].filter((key) => key !== null)
}

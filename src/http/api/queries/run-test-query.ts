import { Rejection } from '../../../core/errors.ts'
import { quantityToNumber } from '../../../core/hex.ts'
import { type DryRun, dryRun } from '../../../follower/dry-run.ts'
import type { WhichBlock } from '../../../follower/which-block.ts'
import type { TestQuery } from '../../contract/contract.ts'
import type { ManagementApi } from '../management-api.ts'
import { readAskedQuery } from './asked-query.ts'

/** `0x`, 64 digits. */
const HASH_LENGTH = 66

/** A dry run of what the body of a call asks for. */
export async function runTestQuery(
  api: ManagementApi,
  teamId: string,
  asked: TestQuery,
): Promise<DryRun | Rejection> {
  const named = asked.block === undefined ? null : whichBlock(asked.block)
  if (named instanceof Rejection) return named

  const query = await readAskedQuery(api, teamId, asked)
  if (query instanceof Rejection) return query

  const { service, plan } = query
  return dryRun(api, service, { teamId, plan }, named ?? plan.dryRunBlock)
}

/** The schema has seen to its form. */
function whichBlock(block: number | string): WhichBlock | Rejection {
  if (typeof block === 'number') return { number: block }
  if (block.length === HASH_LENGTH) return { hash: block.toLowerCase() }
  const number = block.startsWith('0x') ? quantityToNumber(block) : Number(block)
  if (number !== null && Number.isSafeInteger(number)) return { number }
  return new Rejection('validation', 'block must be a number below 2^53.')
}

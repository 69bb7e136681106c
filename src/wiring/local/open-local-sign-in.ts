import { hashKey } from '../../core/access/hash-key.ts'
import { assert } from '../../core/errors.ts'
import type { LocalSignIn } from '../../http/api/management-api.ts'
import type { Database } from '../../ports/database.ts'
import type { Entropy } from '../../ports/entropy.ts'
import { SECRET_LENGTH } from '../../tables/accounts/new-accounts.ts'
import { listTeams } from '../../tables/accounts/teams.ts'
import { findTokenByHash } from '../../tables/accounts/tokens.ts'
import type { FirstRun } from '../first-run.ts'

type Needs = { database: Database; entropy: Entropy }

/** A sign-in for whoever sits at the machine: its link is good until the next start. */
export async function openLocalSignIn(
  needs: Needs,
  url: string,
  firstRun: FirstRun | null,
): Promise<LocalSignIn & { link: string }> {
  const secret = needs.entropy.alphanumeric(SECRET_LENGTH)
  const teamId = await defaultTeamId(needs, firstRun)
  // A browser keeps the part behind # to itself: no request and no log has it.
  return { secretHash: hashKey(secret), teamId, link: `${url}/sign-in#${secret}` }
}

/** The team of the first run, known by its token; else the oldest. */
async function defaultTeamId({ database }: Needs, firstRun: FirstRun | null): Promise<string> {
  const token = firstRun && (await findTokenByHash(database, hashKey(firstRun.team_token)))
  if (token?.teamId) return token.teamId
  const [oldest] = await listTeams(database)
  assert(oldest !== undefined, 'the first run makes a team')
  return oldest.id
}

import type { DevnetControl, SolanaDevnetControl } from '@headgate/devnet'
import type { Settings } from '../../config/config.ts'
import { hashKey } from '../../core/access/hash-key.ts'
import { assert, type Rejection } from '../../core/errors.ts'
import type { LocalSignIn } from '../../http/api/management-api.ts'
import { openInboxBodies } from '../../http/inbox/inbox-bodies.ts'
import { openInboxRoute } from '../../http/inbox/inbox-route.ts'
import { type Inboxes, openInboxes } from '../../http/inbox/inboxes.ts'
import type { InboxRoute } from '../../http/server.ts'
import type { World } from '../../ports/world.ts'
import { SECRET_LENGTH } from '../../tables/accounts/new-accounts.ts'
import { listTeams } from '../../tables/accounts/teams.ts'
import { findTokenByHash } from '../../tables/accounts/tokens.ts'
import type { FirstRun } from '../first-run.ts'

export type LocalDevnets = {
  devnet: DevnetControl<Rejection>
  solanaDevnet: SolanaDevnetControl<Rejection>
}

export type LocalDevelopment = LocalDevnets & {
  inboxes: Inboxes
  inbox: InboxRoute
  /** Answers all whom an inbox keeps waiting. */
  close(): void
}

type Found = {
  publicUrl: string
  devnets: LocalDevnets | null
  firstRun: FirstRun | null
}

/** Opens the parts of local development; with a configuration file there are none. */
export async function openLocalDevelopment(
  world: World,
  { local, roles }: Pick<Settings, 'local' | 'roles'>,
  { publicUrl, devnets, firstRun }: Found,
) {
  const signsIn = local && roles.includes('api')
  return {
    local: devnets && { ...openInboxesBeside(world, publicUrl), ...devnets },
    localSignIn: signsIn ? await openLocalSignIn(world, publicUrl, firstRun) : null,
  }
}

function openInboxesBeside(world: World, publicUrl: string) {
  const inboxes = openInboxes(publicUrl)
  const { route, close } = openInboxRoute(world, openInboxBodies(world.clock), inboxes)
  return { inboxes, inbox: route, close }
}

/** A sign-in for whoever sits at the machine: its link is good until the next start. */
async function openLocalSignIn(
  world: World,
  url: string,
  firstRun: FirstRun | null,
): Promise<LocalSignIn & { link: string }> {
  const secret = world.entropy.alphanumeric(SECRET_LENGTH)
  const teamId = await defaultTeamId(world, firstRun)
  // A browser keeps the part behind # to itself: no request and no log has it.
  return { secretHash: hashKey(secret), teamId, link: `${url}/sign-in#${secret}` }
}

/** The team of the first run, known by its token; else the oldest. */
async function defaultTeamId({ database }: World, firstRun: FirstRun | null): Promise<string> {
  const token = firstRun && (await findTokenByHash(database, hashKey(firstRun.team_token)))
  if (token?.teamId) return token.teamId
  const [oldest] = await listTeams(database)
  assert(oldest !== undefined, 'the first run makes a team')
  return oldest.id
}

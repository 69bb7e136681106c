import type { DevnetControl, SolanaDevnetControl } from '@headgate/devnet'
import type { Settings } from '../../config/config.ts'
import type { Rejection } from '../../core/errors.ts'
import { openInboxBodies } from '../../http/inbox/inbox-bodies.ts'
import { openInboxRoute } from '../../http/inbox/inbox-route.ts'
import { type Inboxes, openInboxes } from '../../http/inbox/inboxes.ts'
import type { InboxRoute } from '../../http/server.ts'
import type { Drivers } from '../drivers.ts'
import type { FirstRun } from '../first-run.ts'
import { openLocalSignIn } from './open-local-sign-in.ts'

/** All that local development has beside the product itself. */
export type LocalDevelopment = {
  devnet: DevnetControl<Rejection>
  solanaDevnet: SolanaDevnetControl<Rejection>
  inboxes: Inboxes
  inbox: InboxRoute
  /** Answers all whom an inbox keeps waiting. */
  close(): void
}

type LocalDrivers = Pick<Drivers, 'clock' | 'database' | 'entropy' | 'secrets' | 'signals'>

type Found = {
  publicUrl: string
  devnets: Pick<LocalDevelopment, 'devnet' | 'solanaDevnet'> | null
  firstRun: FirstRun | null
}

/** The topic of the signal that something changed in an inbox; its text is the inbox's name. */
const INBOX_TOPIC = 'inbox'

/** Opens the parts of local development; with a configuration file there are none. */
export async function openLocalDevelopment(
  drivers: LocalDrivers,
  { local, roles }: Pick<Settings, 'local' | 'roles'>,
  { publicUrl, devnets, firstRun }: Found,
) {
  const signsIn = local && roles.includes('api')
  return {
    local: devnets && { ...openInboxesBeside(drivers, publicUrl), ...devnets },
    localSignIn: signsIn ? await openLocalSignIn(drivers, publicUrl, firstRun) : null,
  }
}

function openInboxesBeside(
  { clock, database, secrets, signals }: LocalDrivers,
  publicUrl: string,
): Omit<LocalDevelopment, 'devnet' | 'solanaDevnet'> {
  const changed = (name: string) => signals.publish(INBOX_TOPIC, name)
  const inboxes = openInboxes({ publicUrl, changed })
  const bodies = openInboxBodies(clock)
  const { route, close } = openInboxRoute({ clock, database, secrets, bodies, inboxes })
  return { inboxes, inbox: route, close }
}

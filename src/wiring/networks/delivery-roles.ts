import type { Settings } from '../../config/config.ts'
import { type Courier, openCourier } from '../../courier/courier.ts'
import { hintCouriers } from '../../courier/hint-couriers.ts'
import { type KnownNumbers, openKnownNumbers } from '../../tables/chain/known-numbers.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import { type Followers, openFollowers } from './followers.ts'
import type { NetworkSet } from './network-set.ts'

/** The roles of this process that make deliveries and send them; null where it has not. */
export type DeliveryRoles = {
  courier: Courier | null
  followers: Followers | null
  known: KnownNumbers
}

type Inputs = {
  drivers: ProcessDrivers
  settings: Settings
  networks: NetworkSet
  publicUrl: string
  /** An event was committed here. */
  committed(): void
}

export function openDeliveryRoles(inputs: Inputs): DeliveryRoles {
  const { drivers, settings, networks, publicUrl } = inputs
  const { roles, tiers } = settings
  const known = openKnownNumbers(drivers)
  const courier = roles.includes('courier')
    ? openCourier({ ...drivers, known, settings: settings.webhooks, tiers, publicUrl })
    : null
  const couriers = courier ?? hintCouriers(drivers.signals)
  const remind: typeof couriers.remind = (recorded) => {
    const { event } = recorded
    if (event !== null) known.announce({ ...recorded, event })
    couriers.remind(recorded)
    inputs.committed()
  }
  const hints = { remind, remindWebhooks: couriers.remindWebhooks }
  const followers = roles.includes('follower')
    ? openFollowers(drivers, networks, hints, known)
    : null
  return { courier, followers, known }
}

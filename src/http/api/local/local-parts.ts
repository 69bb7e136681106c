import type { DevnetControl, SolanaDevnetControl } from '@headgate/devnet'
import { assert, type Rejection } from '../../../core/errors.ts'
import type { Inboxes } from '../../inbox/inboxes.ts'

/** The parts of local development; null elsewhere, where there is no route to these calls. */
export type LocalCallNeeds = {
  local: {
    devnet: DevnetControl<Rejection>
    solanaDevnet: SolanaDevnetControl<Rejection>
    inboxes: Inboxes
  } | null
}

export function localParts({ local }: LocalCallNeeds) {
  assert(local !== null, 'calls of local development have no route elsewhere')
  return local
}

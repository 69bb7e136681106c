import { assert } from '../../../core/errors.ts'
import type { DevnetControl } from '../../../ports/devnet-control.ts'
import type { SolanaDevnetControl } from '../../../ports/local/solana-devnet-control.ts'
import type { Inboxes } from '../../inbox/inboxes.ts'

/** The parts of local development; null elsewhere, where there is no route to these calls. */
export type LocalCallNeeds = {
  local: { devnet: DevnetControl; solanaDevnet: SolanaDevnetControl; inboxes: Inboxes } | null
}

export function localParts({ local }: LocalCallNeeds) {
  assert(local !== null, 'calls of local development have no route elsewhere')
  return local
}

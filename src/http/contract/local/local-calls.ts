import { DEVNET, DEVNET_CALLS } from './devnet.ts'
import { DEVNET_UPSTREAM_CALLS } from './devnet-upstreams.ts'
import { INBOX, INBOX_ARRIVAL, INBOX_CALLS } from './inboxes.ts'
import { SOLANA_DEVNET, SOLANA_DEVNET_CALLS } from './solana-devnet.ts'

export { DEVNET, INBOX, INBOX_ARRIVAL, SOLANA_DEVNET }

/** The calls that exist in local development alone. */
export const LOCAL_CALLS = {
  ...DEVNET_CALLS,
  ...DEVNET_UPSTREAM_CALLS,
  ...SOLANA_DEVNET_CALLS,
  ...INBOX_CALLS,
}

import { DEVNET, DEVNET_CALLS } from './devnet.ts'
import { DEVNET_UPSTREAM_CALLS } from './devnet-upstreams.ts'
import { INBOX, INBOX_ARRIVAL, INBOX_CALLS } from './inboxes.ts'

export { DEVNET, INBOX, INBOX_ARRIVAL }

/** The calls that exist in local development alone. */
export const LOCAL_CALLS = { ...DEVNET_CALLS, ...DEVNET_UPSTREAM_CALLS, ...INBOX_CALLS }

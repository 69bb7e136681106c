// Made of the OpenAPI document by `npm run build:client`. Changes belong into src/http/contract.

export type AccountIndex = {
  program: string
  /** While it catches up, the node is asked. */
  state: 'live' | 'catching_up'
  accounts: number
  /** The newest slot it can show; null before the first. */
  slot: number | null
  /** The newest of those that is final. */
  finalized_slot: number | null
  /** Behind the network’s head. */
  lag_slots: number | null
  /** What went wrong last; null when nothing did. */
  last_fault: string | null
}

export type AllowChange = {
  /**
   * Origins that pages may call from: `https://app.example.com`, `https://*.example.com`, or
   * `*.example.com` for any scheme and port. With any here, calls without an `Origin` header are
   * refused too.
   */
  origins?: readonly string[]
  /** Addresses and ranges in CIDR form that clients may have, such as `203.0.113.0/24`. */
  ips?: readonly string[]
  /** Methods that may be called: names, or beginnings such as `eth_get*`. */
  methods?: readonly string[]
  /** Contracts that calls may name on EVM networks, in `to` or `address`. Stored in lower case. */
  contracts?: readonly string[]
}

export type AllowLists = {
  /**
   * Origins that pages may call from: `https://app.example.com`, `https://*.example.com`, or
   * `*.example.com` for any scheme and port. With any here, calls without an `Origin` header are
   * refused too.
   */
  origins: readonly string[]
  /** Addresses and ranges in CIDR form that clients may have, such as `203.0.113.0/24`. */
  ips: readonly string[]
  /** Methods that may be called: names, or beginnings such as `eth_get*`. */
  methods: readonly string[]
  /** Contracts that calls may name on EVM networks, in `to` or `address`. Stored in lower case. */
  contracts: readonly string[]
}

export type App = {
  id: string
  /** 1 to 100 characters, no control characters. */
  name: string
  /** Up to 1000 characters of your own words; lines and tabs are fine. */
  description: string
  networks: readonly string[]
  /** An inactive app’s key is refused with 403 until it is active again. */
  is_active: boolean
  /**
   * Where callers may come from and what they may call. An empty list allows everything; a call
   * that a list does not allow is refused with 403 and costs nothing.
   */
  allow: AllowLists
  /** The API key, 32 characters. Keep it secret. */
  key: string
  /** The JSON-RPC address of each network, key included. */
  urls: Readonly<Record<string, string>>
  /** Milliseconds since 1970, UTC. */
  time_created: number
}

export type AppChange = {
  /** 1 to 100 characters, no control characters. */
  name?: string
  /** Up to 1000 characters of your own words; lines and tabs are fine. */
  description?: string
  /** Ids of configured networks, for example `ETH_MAINNET`; see `GET /api/networks`. */
  networks?: readonly string[]
  /** An inactive app’s key is refused with 403 until it is active again. */
  is_active?: boolean
  /**
   * Lists that are given replace those of the app, the others stay. `[]` allows everything again.
   */
  allow?: AllowChange
}

export type AttemptTimes = {
  /** Milliseconds to find the address. */
  lookup: number
  /** To connect: TCP alone. */
  connect: number
  /**
   * To agree on TLS; 0 where there is none, on a connection that was kept, and for attempts of
   * versions before, whose `connect` has it.
   */
  tls: number
  /** From sending to the answer’s end. */
  answer: number
  total: number
}

export type BlockSample = {
  number: number
  /** The size of the whole body. */
  bytes: number
  /** How many items each list directly under `block` has. */
  matched: Readonly<Record<string, number>>
  /** With `skip_empty_messages` it would not be delivered. */
  empty: boolean
}

export type CallPoint = {
  /** When the bucket begins, in ms since 1970, UTC. */
  start: number
  /** JSON-RPC calls that were answered, members of batches one by one. */
  calls: number
  /** Calls of them that the service refused or could not answer, such as 429 and 503. */
  errors: number
  /** Calls of them that a node answered with an error, such as a revert; not in `errors`. */
  node_errors: number
  /**
   * Half of the calls took less, in milliseconds; estimated from a histogram of 20 buckets. Calls
   * with an error are left out. Null when there are no others.
   */
  median_ms: number | null
  /** 99 of 100 calls took less; otherwise like `median_ms`. */
  p99_ms: number | null
}

export type CallStats = {
  /** The app’s id, method, network or status; null when `group_by` is `none`. */
  group: string | null
  /** JSON-RPC calls that were answered, members of batches one by one. */
  calls: number
  /** Calls of them that the service refused or could not answer, such as 429 and 503. */
  errors: number
  /** Calls of them that a node answered with an error, such as a revert; not in `errors`. */
  node_errors: number
  /** Calls of them that were answered from the cache. */
  cached: number
  /** Calls of them that shared the answer of a like call at the same time. */
  coalesced: number
  /** Compute units, exact to the hundredth. */
  cu: number
  /**
   * Half of the calls took less, in milliseconds; estimated from a histogram of 20 buckets. Calls
   * with an error are left out. Null when there are no others.
   */
  median_ms: number | null
  /** 99 of 100 calls took less; otherwise like `median_ms`. */
  p99_ms: number | null
  /** Its share of the calls of all groups, to two digits after the point. */
  share_percent: number
}

export type CheckQuery = {
  /** The text of the query, or an object with it. */
  graphql_query: string | GraphqlQueryInput
  /** The network it is for: one without call traces refuses queries for them. */
  network?: string
}

export type Delivery = {
  /** The `id` of the body. */
  id: string
  webhook_id: string
  network: string
  /** A query’s result, or an error event. */
  kind: 'data' | 'error'
  /**
   * `waiting` for its first attempt or the next, `delivered`, `failed` when all attempts were in
   * vain, `cancelled` when the webhook was deleted.
   */
  status: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  /** As in the body; null for errors. */
  sequence_number: string | null
  /** Null for errors. */
  block_number: number | null
  /** Null for errors. */
  block_hash: string | null
  /** A replay sent it again. */
  replay: boolean
  /** A reorganisation replaced its height: the event ran it again on the new block. */
  rerun: boolean
  /**
   * Its block is not canonical any more: a reorganisation replaced it, and a later event is right.
   */
  superseded: boolean
  /** Since it was due, or was last sent again. */
  attempts_made: number
  /** What the last attempt was answered; null without an answer or an attempt. */
  status_code: number | null
  /** Why the last attempt got no answer, as in its attempts. */
  fault: string | null
  /** How long the last attempt took; null before the first. */
  took_ms: number | null
  /** Of the body; null before the first attempt. */
  bytes: number | null
  /** Milliseconds since 1970, UTC. */
  time_created: number
  /** When the next attempt is due; null when there will be none. */
  time_due: number | null
  /** When it was delivered, given up or cancelled. */
  time_done: number | null
}

export type DeliveryAttempt = {
  /** Milliseconds since 1970, UTC. */
  time_started: number
  /** What the destination answered; null when it did not. */
  status_code: number | null
  /**
   * Why no answer came: `dns` (the name has no address that deliveries may go to), `connect`,
   * `tls`, `timeout`, `reset` or `protocol`.
   */
  fault: string | null
  ms: AttemptTimes
  /** The beginning of the answer’s body. */
  response_start: string
  /** The address that was connected to. */
  address: string | null
  /**
   * Which queue of its webhook it waited in: `new` ones, what is sent again (`retry`: retries,
   * resends, replays), `ordered` where all go one after the other, or `error`.
   */
  queue: 'new' | 'retry' | 'ordered' | 'error'
}

export type DeliveryDetail = {
  /** The `id` of the body. */
  id: string
  webhook_id: string
  network: string
  /** A query’s result, or an error event. */
  kind: 'data' | 'error'
  /**
   * `waiting` for its first attempt or the next, `delivered`, `failed` when all attempts were in
   * vain, `cancelled` when the webhook was deleted.
   */
  status: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  /** As in the body; null for errors. */
  sequence_number: string | null
  /** Null for errors. */
  block_number: number | null
  /** Null for errors. */
  block_hash: string | null
  /** A replay sent it again. */
  replay: boolean
  /** A reorganisation replaced its height: the event ran it again on the new block. */
  rerun: boolean
  /**
   * Its block is not canonical any more: a reorganisation replaced it, and a later event is right.
   */
  superseded: boolean
  /** Since it was due, or was last sent again. */
  attempts_made: number
  /** What the last attempt was answered; null without an answer or an attempt. */
  status_code: number | null
  /** Why the last attempt got no answer, as in its attempts. */
  fault: string | null
  /** How long the last attempt took; null before the first. */
  took_ms: number | null
  /** Of the body; null before the first attempt. */
  bytes: number | null
  /** Milliseconds since 1970, UTC. */
  time_created: number
  /** When the next attempt is due; null when there will be none. */
  time_due: number | null
  /** When it was delivered, given up or cancelled. */
  time_done: number | null
  /** The exact text that is signed and sent. */
  body: string | null
  /**
   * The headers of the last attempt’s request beside its length and host; null before the first.
   * Without its signatures where the signing key was rotated since. With `sign=now` those of an
   * attempt at this moment, without signatures where the webhook was deleted.
   */
  headers: Readonly<Record<string, string>> | null
  /** Oldest first. */
  attempts: readonly DeliveryAttempt[]
}

export type DeliveryPage = {
  /** Newest first. */
  data: readonly Delivery[]
  pagination: DeliveryPagination
}

export type DeliveryPagination = {
  /** `after` is the `cursor` of the next page; on the last one it is absent. */
  cursors: {
    after?: string
  }
}

export type Devnet = {
  /** The id of the network, as webhooks name it. */
  network: string
  chain_id: number
  /** Time between blocks; 0 when blocks only come on command. */
  block_time_ms: number
  /** No block comes by time, only on command. */
  is_held: boolean
  /** Transactions of the chain’s own in each block. */
  transactions_per_block: number
  /** Blocks come without them, since the chain’s process has more than 1.5 GiB of memory. */
  is_traffic_resting: boolean
  /** Transactions that wait for the next block. */
  pending_transactions: number
  head: DevnetHead
  /**
   * The last 64 heights, lowest first; at one height replaced blocks come before the canonical one.
   * Of replaced blocks the newest 256 are known.
   */
  blocks: readonly DevnetBlock[]
}

export type DevnetBlock = {
  number: number
  hash: string
  parent_hash: string
  /** False for a block that was replaced, dropped or left by `evm_revert`. */
  is_canonical: boolean
  /** How many it has. */
  transactions: number
  /** Milliseconds since 1970, UTC. */
  time: number
  /** When it was replaced; null for a canonical block. */
  time_replaced: number | null
}

export type DevnetChange = {
  /** True stops mining by time, false resumes it. */
  is_held?: boolean
  /** Time between blocks from now on. */
  block_time_ms?: number
  /** Transactions of the chain’s own in each block from now on. */
  transactions_per_block?: number
}

export type DevnetDrop = {
  /** The block that becomes the head. */
  height: number
}

export type DevnetHead = {
  number: number
  hash: string
}

export type DevnetMine = {
  /** How many blocks. */
  blocks?: number
}

export type DevnetReorganisation = {
  /** How many are replaced. */
  depth: number
  /** How many replace them: more than `depth`. Without it, one more. */
  blocks?: number
  /**
   * Whether transactions of replaced blocks are mined again, in the first of the new blocks that
   * has room, or are gone.
   */
  transactions?: 'keep' | 'drop'
}

export type DevnetSend = {
  /**
   * A transfer of ether, or a call that emits the event `Transfer(address,address,uint256)` as a
   * token does.
   */
  kind?: 'transfer' | 'log'
  /** Without it, the second test account. */
  to?: string
  /** In wei, or in units of the token. Without it, 1 ether or 1,000,000 units. */
  value?: string
}

export type DevnetSent = {
  transaction_hash: string
  /** The first test account. */
  from: string
  /** The account that gets the value, or is named in the event. */
  to: string
  value: string
  /** The contract that emits the event; null for a transfer. */
  contract: string | null
  devnet: Devnet
}

export type DevnetStall = {
  /** How long no upstream answers. */
  seconds: number
}

export type DevnetUpstream = {
  /** The name of the upstream, as `GET /api/networks` has it. */
  name: string
  /**
   * How the node answers: `honest` truly, `lag` as one that is `blocks` behind, `lie` with every
   * log left out and sixteenfold balances, `fail` with 503, `hang` never.
   */
  behaviour: 'honest' | 'lag' | 'lie' | 'fail' | 'hang'
  /** How many blocks it lags behind; 0 unless it lags. */
  blocks: number
}

export type DevnetUpstreamChange = {
  /**
   * How the node answers: `honest` truly, `lag` as one that is `blocks` behind, `lie` with every
   * log left out and sixteenfold balances, `fail` with 503, `hang` never.
   */
  behaviour: 'honest' | 'lag' | 'lie' | 'fail' | 'hang'
  /** With `lag` only: how many blocks it is behind. Without it, 5. */
  blocks?: number
}

export type EstimateQuery = {
  /** The id of a configured EVM network, for example `ETH_MAINNET`. */
  network: string
  /** The text of the query, or an object with it. */
  graphql_query: string | GraphqlQueryInput
  /** How many of the newest blocks it is tried on. */
  blocks?: number
}

export type GapEvent = {
  /** Fetch these again. */
  topics: ReadonlyArray<
    | 'heads'
    | 'deliveries'
    | 'webhooks'
    | 'replays'
    | 'usage'>
  /**
   * `too_old`: the client was connected before, and what happened meanwhile is not kept.
   * `too_much`: more has changed at once than a stream sends.
   */
  reason: 'too_old' | 'too_much'
}

export type GraphqlQuery = {
  /** The text of the query. */
  query: string
  /** Deliver only results that are not empty. */
  skip_empty_messages: boolean
}

export type GraphqlQueryChange = {
  /** The text of the new query. */
  query?: string
  /** Deliver only results that are not empty. */
  skip_empty_messages?: boolean
}

export type GraphqlQueryInput = {
  /** The text of the query. */
  query: string
  /** Deliver only results that are not empty. */
  skip_empty_messages?: boolean
}

export type Head = {
  number: number
  /** The hash of the block; null on Solana networks. */
  hash: string | null
  /** How long ago a node last reported it. */
  age_ms: number | null
}

export type HeadEvent = {
  network: string
  /** The height of the block; the slot on Solana. */
  number: number
  /** Null where it is not known, as on Solana. */
  hash: string | null
  /** When it was found here, in ms since 1970. */
  time: number
  /**
   * Where this block replaces another of its height: the first height that was replaced. All
   * heights from there on follow, each as a head of its own. Else null.
   */
  reorganised_from: number | null
}

export type Inbox = {
  name: string
  /** The destination to give a webhook. */
  url: string
  /** How many are kept. */
  arrivals: number
  /**
   * How it answers: `accept` with 200, `fail` with `status`, `hang` never, `slow` with 200 after
   * `delay_ms`, `gone` with 410.
   */
  behaviour: 'accept' | 'fail' | 'hang' | 'slow' | 'gone'
  /** The answer while it fails. */
  status: number
  /** How long it takes while it is slow. */
  delay_ms: number
  /** Senders that wait for an answer just now. */
  held: number
  /** When the last one arrived; null before the first. */
  time_last: number | null
}

export type InboxArrival = {
  /** Counts the arrivals of all inboxes. */
  id: number
  /** Milliseconds since 1970, UTC. */
  time: number
  /** The `id` of the body; null when it is no delivery. */
  delivery_id: string | null
  /** The `webhookId` of the body; null when it has none. */
  webhook_id: string | null
  network: string | null
  /** A result, or a message; null when it is no delivery. */
  kind: 'data' | 'error' | null
  /** As in the body; null for errors. */
  sequence_number: string | null
  /** The delivery before it, as the header `x-headgate-previous` says. */
  previous_sequence_number: string | null
  /** The height; null where it is not known. */
  block_number: number | null
  /** Null while the sender waits, or when it gave up. */
  status_answered: number | null
  /**
   * Checked against the signing keys of the webhook that the body names: both `x-service-signature`
   * and the headers of Standard Webhooks.
   */
  signature: 
    | 'valid'
    | 'invalid'
    | 'missing'
    | 'unknown webhook'
  /** Why it is not valid; null when it is. */
  signature_fault: string | null
  /** The same delivery had arrived before: a retry, a resend or a replay. */
  is_repeat: boolean
  /** The same height had arrived before, with a lower sequence number. */
  is_rerun: boolean
  /** The same height has arrived since, with a higher sequence number. */
  is_superseded: boolean
  /** The delivery before it has not arrived here. */
  is_gap: boolean
  /** A replay sent it. */
  is_replay: boolean
  /** Which arrival of its delivery it is here, from 1; 0 when it is no delivery. */
  attempt: number
  /** Of the whole body. */
  bytes: number
  /** By name; the first 64, each cut after 1 KiB. */
  headers: Readonly<Record<string, string>>
  /** Its first 64 KiB; what is no UTF-8 is replaced. */
  body: string
  /** The body is longer than what is kept of it. */
  is_body_cut: boolean
}

export type InboxArrivalPage = {
  inbox: Inbox
  /** Newest first. */
  data: readonly InboxArrival[]
  pagination: InboxPagination
}

export type InboxChange = {
  /**
   * How it answers: `accept` with 200, `fail` with `status`, `hang` never, `slow` with 200 after
   * `delay_ms`, `gone` with 410.
   */
  behaviour: 'accept' | 'fail' | 'hang' | 'slow' | 'gone'
  /** With `fail`. Without it, 500. */
  status?: number
  /** With `slow`. Without it, 6000, which is too late. */
  delay_ms?: number
}

export type InboxPagination = {
  /** `before` leads to the next page; on the last one it is absent. */
  cursors: {
    before?: number
  }
}

export type JwtKey = {
  /** The `kid` of tokens it signs. */
  id: string
  /** 1 to 100 characters, no control characters. */
  name: string
  /** The `alg` of tokens it signs. */
  algorithm: 'RS256' | 'ES256' | 'EdDSA'
  /** The public key as PEM. */
  public_key: string
  /** Milliseconds since 1970, UTC. */
  time_created: number
}

export type KeyRotation = {
  /** The webhook’s id. */
  webhook_id: string
  /**
   * True only shows the key that the next rotation switches to, in `next_signing_key`, so that
   * receivers can learn it first. Nothing is signed with it yet.
   */
  prepare?: boolean
}

export type LastDelivery = {
  id: string
  /** Milliseconds since 1970, UTC. */
  time_created: number
  /**
   * `waiting` for its first attempt or the next, `delivered`, `failed` when all attempts were in
   * vain, `cancelled` when the webhook was deleted.
   */
  status: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  /** What the last attempt was answered; null without an answer or an attempt. */
  status_code: number | null
  /** Null for errors. */
  block_number: number | null
}

export type ListedSession = {
  id: string
  token: SessionToken | null
  /** The address that it was signed in from. */
  address: string
  /** How the browser that signed in named itself, up to 200 characters. */
  user_agent: string
  /** Milliseconds since 1970, UTC. */
  time_created: number
  /** Milliseconds since 1970, UTC. */
  time_last_used: number
  /** Milliseconds since 1970, UTC. */
  time_expires: number
  /** This very call was made with it. */
  is_current: boolean
}

export type MonthEstimate = {
  deliveries: number
  bytes: number
  /** Compute units, exact to the hundredth. */
  cu: number
}

export type Network = {
  id: string
  /** How the network is written in URLs. */
  slug: string
  kind: 'evm' | 'solana'
  /** Null until a node reported. */
  head: Head | null
  /** The newest block or slot that cannot change any more. */
  finalized: number | null
  /** The usual time from one block to the next, as configured. */
  block_time_ms: number
  verify: Verify
  upstreams: readonly Upstream[]
  /** The programs whose accounts are indexed (programAccounts.index). */
  account_indexes: readonly AccountIndex[]
}

export type NewApp = {
  /** 1 to 100 characters, no control characters. */
  name: string
  /** Ids of configured networks, for example `ETH_MAINNET`; see `GET /api/networks`. */
  networks: readonly string[]
  /** Up to 1000 characters of your own words; lines and tabs are fine. */
  description?: string
  /**
   * Lists that are given replace those of the app, the others stay. `[]` allows everything again.
   */
  allow?: AllowChange
}

export type NewJwtKey = {
  /** 1 to 100 characters, no control characters. */
  name: string
  /**
   * A public key: PEM that begins with `-----BEGIN PUBLIC KEY-----`, or a JWK as an object. RSA of
   * 2048 to 4096 bits, EC on P-256, or Ed25519. A private key is refused.
   */
  public_key: string | Readonly<Record<string, unknown>>
}

export type NewReplay = {
  /** The webhook’s id. */
  webhook_id: string
  /** The first block. */
  from_block: number
  /** The last block, itself included. */
  to_block: number
}

export type NewSession = {
  /** A team’s token, or the operator’s. */
  token?: string
  /** The part behind `#` of the link that is printed at a start in local development. */
  link?: string
}

export type NewTeam = {
  /** 1 to 100 characters, no control characters. */
  name: string
  /** The name of a configured tier, for example `free`. */
  tier: string
}

export type NewTeamToken = {
  /** 1 to 100 characters, no control characters. */
  name: string
}

export type NewToken = {
  /** 1 to 100 characters, no control characters. */
  name?: string
}

export type NewVariableItems = {
  /**
   * 1 to 10,000 addresses, or as many values of 32 bytes; not both. What is given twice counts
   * once.
   */
  items: readonly string[]
}

export type NewWebhook = {
  /** The id of a configured EVM network, for example `ETH_MAINNET`. */
  network: string
  /** The only type there is. */
  webhook_type: 'GRAPHQL'
  /** Where deliveries go: http or https, to a public address, without credentials in it. */
  webhook_url: string
  /**
   * The text of the query, or an object with it. A block that `block(number:)` or `block(hash:)`
   * names is for `POST /api/test-query` only: here the query runs on every new block.
   */
  graphql_query: string | GraphqlQueryInput
  /** Up to 100 characters of your own words, no control characters. */
  name?: string
  /** One of the team’s apps that has the network, to find the deliveries in its usage. */
  app_id?: string | null
  /** Strictly one delivery after the other: each waits for the retries of the last. */
  ordered?: boolean
  /**
   * With `skip_empty_messages`: when a reorganisation leaves nothing of a height that was delivered
   * before, its empty result is delivered too.
   */
  notify_removed?: boolean
}

export type OfferedTier = {
  /** The name of a configured tier, for example `free`. */
  name: string
  limits: TierLimits
}

export type QueryCheck = {
  /** A webhook can be made of it. */
  ok: boolean
  /** At most 10; the first is the one that a create call would answer with. */
  errors: readonly QueryError[]
  /** The variables that it names; none while it has errors. */
  variables: readonly QueryVariable[]
  /** At least one list directly under `block` has a filter. Null while it has errors. */
  is_filtered: boolean | null
  /** It asks for lists directly under `block`, so `skip_empty_messages` can skip blocks. */
  can_be_empty: boolean | null
  /** Each block is read with its receipts. */
  needs_receipts: boolean | null
  /** Each block is read with its call traces. */
  needs_traces: boolean | null
}

export type QueryError = {
  /** What is wrong, without the place. */
  message: string
  /** Null where the whole query is meant. */
  line: number | null
  /** In UTF-16 units, as editors count. */
  column: number | null
  /** How long the wrong word is. */
  length: number | null
}

export type QueryEstimate = {
  network: string
  /** The oldest block that was read. */
  from_block: number
  /** The newest. */
  to_block: number
  /** How many were read: fewer than asked for when nodes were slow. */
  blocks: number
  /** How many of them would be delivered, by `skip_empty_messages`. */
  delivered: number
  /** How many gave an empty result. */
  empty: number
  /** The bytes of all that would be delivered. */
  bytes: number
  /** Compute units, exact to the hundredth. */
  cu: number
  /** The largest body of those. */
  largest_bytes: number
  /** From one block to the next, by their times; configured when one was read. */
  block_time_ms: number
  /** At this pace, in 30 days. */
  month: MonthEstimate
  /** The same without `skip_empty_messages`: every block is delivered. */
  month_every_block: MonthEstimate
  /** Each block that was read, oldest first. */
  sample: readonly BlockSample[]
  /**
   * Only when there are some: variables that the query names and the team does not have. They match
   * nothing.
   */
  variables?: readonly string[]
}

export type QueryVariable = {
  name: string
  /** As the query declares it. */
  kind: 'Address' | 'Bytes32'
  /** How many items the team’s list has; null when there is none. */
  items: number | null
}

export type RecentDelivery = {
  /**
   * `waiting` for its first attempt or the next, `delivered`, `failed` when all attempts were in
   * vain, `cancelled` when the webhook was deleted.
   */
  status: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  attempts_made: number
  /** A reorganisation replaced its height: it was run again on the new block. */
  rerun: boolean
  /** What the last attempt was answered; null without an answer or an attempt. */
  status_code: number | null
}

export type Replay = {
  id: string
  webhook_id: string
  network: string
  from_block: number
  to_block: number
  /** What it comes to next; after the last, one more. */
  next_block: number
  state: 'running' | 'done' | 'cancelled' | 'failed'
  /** Blocks whose results are sent. */
  delivered: number
  /** Blocks with empty results, with `skip_empty_messages`. */
  skipped: number
  /** Why it failed, or does not get on just now. */
  error: string | null
  /** Milliseconds since 1970, UTC. */
  time_created: number
  /** Milliseconds since 1970, UTC. */
  time_updated: number
}

export type Session = {
  id: string
  /** Whose token it was signed in with. */
  kind: 'team' | 'operator'
  team: SessionTeam | null
  token: SessionToken | null
  /** The instance runs without a configuration file. */
  local_development: boolean
  /** The version of Headgate. */
  version: string
  /** Where this instance is reached from outside. */
  public_url: string
  /** Milliseconds since 1970, UTC. */
  time_created: number
  /** Milliseconds since 1970, UTC. */
  time_expires: number
}

export type SessionTeam = {
  id: string
  /** 1 to 100 characters, no control characters. */
  name: string
  /** The name of its tier. */
  tier: string
}

export type SessionToken = {
  id: string
  name: string
}

export type SolanaDevnet = {
  /** The id of the network. */
  network: string
  /** The slot that is being filled. */
  slot: number
  /** How many blocks there have been. */
  block_height: number
  /** Time between slots. */
  slot_time_ms: number
  /** No slot ends by time, only on command. */
  is_held: boolean
  /** About so many accounts change by themselves in each slot. */
  changes_per_slot: number
  /** The token accounts that change by themselves. */
  token_accounts: number
  /** Since the ledger began. */
  transactions: number
}

export type SolanaDevnetPace = {
  /** Time between slots. */
  slot_time_ms?: number
  /** True stops the slots, false lets them go on. */
  is_held?: boolean
  /**
   * About so many accounts change by themselves in each slot. With 0 the ledger sends no
   * transactions of its own either.
   */
  changes_per_slot?: number
}

export type Team = {
  id: string
  /** 1 to 100 characters, no control characters. */
  name: string
  /** The name of a configured tier, for example `free`. */
  tier: string
  /** Go on past the monthly capacity instead of stopping there. */
  autoscaling: boolean
  /** What the tier allows; null when it is not configured any more. */
  limits: TierLimits | null
  /** Milliseconds since 1970, UTC. */
  time_created: number
}

export type TeamChange = {
  /** Go on past the monthly capacity instead of stopping there. */
  autoscaling?: boolean
  /** The name of a configured tier, for example `free`. */
  tier?: string
}

export type TeamCreated = {
  /** The team’s id. */
  id: string
  /**
   * The team’s first token. It is shown only now: null where `by_name` found a team that is there
   * already. `POST /api/teams/{id}/tokens` gives another.
   */
  token: string | null
  /** What `DELETE /api/tokens/{id}` takes; null with the token. */
  token_id: string | null
}

export type TestDelivery = {
  /** The `id` of the body. */
  id: string
  /** The exact text that was signed and sent; null above 256 KiB. */
  body: string | null
}

export type TestQuery = {
  /** The id of a configured EVM network, for example `ETH_MAINNET`. */
  network: string
  /** The text of the query, or an object with it. */
  graphql_query: string | GraphqlQueryInput
  /**
   * The block’s number or hash. Default: what the query’s own `block(number:)` or `block(hash:)`
   * says, or else the newest block.
   */
  block?: number | string
}

export type TestQueryResult = {
  /** What `event.data` of the delivery would be. */
  data: Readonly<Record<string, unknown>>
  /** The size of the whole body that would be delivered. */
  bytes: number
  /** What that delivery would cost. The dry run itself costs nothing. */
  cu: number
  /** How many items each list directly under `block` has, by response name. */
  matched: Readonly<Record<string, number>>
  /**
   * There are lists directly under `block`, and all are empty: with `skip_empty_messages` nothing
   * would be delivered.
   */
  empty: boolean
  block: TestedBlock
  /** True if the result was over 10 MB and lists were cut; absent otherwise. */
  truncated?: boolean
  truncated_fields?: readonly string[]
  truncation_reason?: string
  /**
   * Only when there are some: variables that the query names and the team does not have. They match
   * nothing.
   */
  variables?: readonly string[]
}

export type TestWebhook = {
  /** Where deliveries go: http or https, to a public address, without credentials in it. */
  webhook_url: string
  /** The text of the query, or an object with it. */
  graphql_query: string | GraphqlQueryInput
  /** The id of a configured EVM network, for example `ETH_MAINNET`. */
  network: string
  /**
   * The block’s number or hash. Default: what the query’s own `block(number:)` or `block(hash:)`
   * says, or else the newest block.
   */
  block?: number | string
}

export type TestWebhookAttempt = {
  /** The destination answered with a 2xx in time. */
  accepted: boolean
  /** What it answered; null when it did not. */
  status_code: number | null
  /** Why no answer came: `dns`, `connect`, `tls`, `timeout`, `reset` or `protocol`. */
  fault: string | null
  ms: AttemptTimes
  /** The beginning of the answer’s body. */
  response_start: string
  /** The size of the body that was sent. */
  bytes: number
  /** What a delivery of this size costs. The test itself costs nothing. */
  cu: number
  /** With `skip_empty_messages` nothing would be delivered for this block. */
  empty: boolean
  block: TestedBlock
  /** What it was signed with: a key made for this one delivery. */
  signing_key: string
  delivery: TestDelivery
}

export type TestedBlock = {
  number: number
  hash: string
}

export type TierLimits = {
  /** Compute units a calendar month (UTC); null is unlimited. */
  monthly_cu: number | null
  /** Compute units a second; null is unlimited. */
  cu_per_second: number | null
  /** Paid tiers may call the methods reserved for them. */
  paid: boolean
  /** GraphQL webhooks a team may have. */
  webhooks: number
  /** Items over all variables of a team. */
  variable_items: number
  /** Bytes of results that no destination has accepted yet, over all webhooks. */
  undelivered_bytes: number
}

export type Token = {
  id: string
  name: string
  /** Milliseconds since 1970, UTC. */
  time_created: number
}

export type TokenCreated = {
  id: string
  /** The token, 32 characters. It is shown only now. */
  token: string
}

export type UnprovenBlock = {
  number: number
  /** Such as an unknown member of the header, as after a fork of the chain. */
  reason: string
}

export type Upstream = {
  /** Its configured name; never its address. */
  name: string
  state: 'used' | 'standby' | 'excluded'
  /** Why it is or is not used. */
  reason: string | null
  /** What went wrong last; null when nothing did. */
  last_fault: string | null
  /** How long ago that was. */
  last_fault_age_ms: number | null
  /** While it rests after failures: how long until it is tried again. */
  next_probe_ms: number | null
  /** The newest block or slot it reported. */
  head: number | null
  /** Behind the network’s head; null when it never reported. */
  lag_blocks: number | null
  error_rate: number
  /** The usual time until an answer. */
  latency_ms: number | null
  in_flight: number
  /** A private relay: it gets transactions, and no reads. */
  sends_only: boolean
  /** Answers unlike those that a quorum of others agreed on, since the start. */
  disagreements: number
  /** The method of the last such answer; null without any. */
  last_disagreement: string | null
  /** How long ago that was. */
  last_disagreement_age_ms: number | null
  /** Heads, and blocks for webhooks, are taken from it, whatever calls do there. */
  heard: boolean
  /** Null where none is configured. */
  budget: UpstreamBudget | null
  /**
   * Requests that all processes sent it in the last hour: calls of apps, and reads for webhooks; no
   * polls. Counted in spans of five minutes, as all that follows.
   */
  calls: number
  /** Requests of them without a usable answer. An error of the caller is none. */
  errors: number
  /**
   * Half of its answers took less, in milliseconds; estimated from a histogram of 20 buckets. Null
   * when it gave none.
   */
  median_ms: number | null
  /** 99 of 100 answers took less; else like `median_ms`. */
  p99_ms: number | null
  /** Its share of the network’s requests, to two digits after the point. */
  share_percent: number
  /** The last 24 hours, oldest first; those without calls are left out. */
  hours: readonly UpstreamHour[]
}

export type UpstreamBudget = {
  /** Upstreams of one account share a budget, and all its figures here. */
  account: string
  /** The limit of all processes; null is none. */
  requests_per_second: number | null
  /** The same for credits; null is none. */
  credits_per_month: number | null
  /** Credits spent since the last reset, as far as is known here. */
  credits_spent: number
  /** When the credits begin anew, in ms since 1970. */
  time_reset: number
}

export type UpstreamHour = {
  /** When the hour begins, in ms since 1970, UTC. */
  start: number
  calls: number
  errors: number
  /**
   * Half of its answers took less, in milliseconds; estimated from a histogram of 20 buckets. Null
   * when it gave none.
   */
  median_ms: number | null
}

export type UpstreamSpend = {
  network: string
  /** Its configured name; never its address. */
  upstream: string
  /** Upstreams of one account share a budget. */
  account: string
  /** The reset day on which the month began, in ms since 1970, UTC. */
  start: number
  /** Requests of all processes, polls and reads for webhooks included. */
  requests: number
  /** Credits of them, by the table of the budget. */
  credits: number
}

export type UsagePoint = {
  /** When the bucket begins, in ms since 1970, UTC. */
  start: number
  /** The method, network or app; null when `group_by` is `none`. */
  group: string | null
  calls: number
  /** Compute units, exact to the hundredth. */
  cu: number
  /** Bytes delivered to webhooks; JSON-RPC calls count 0. */
  bytes: number
}

export type UsageSummary = {
  /** The calendar month, UTC. */
  month: string
  /** Compute units, exact to the hundredth. */
  month_cu: number
  /** The tier’s monthly capacity; null is unlimited. */
  limit_cu: number | null
  /** What is left of it, never below 0. */
  remaining_cu: number | null
  /** Two digits after the point; over 100 with autoscaling. */
  percent_used: number | null
  /** Go on past the monthly capacity instead of stopping there. */
  autoscaling: boolean
  /** What the month comes to at the pace of the last 7 days; null until its third day. */
  forecast_cu: number | null
  /**
   * When the capacity is used up at that pace, in ms since 1970; null when it lasts, is used up
   * already, or there is no forecast.
   */
  time_limit_reached: number | null
  /** When the next month begins, in ms since 1970. */
  time_reset: number
  this_month: UsageTotals
  last_24_hours: UsageTotals
  last_7_days: UsageTotals
}

export type UsageTotals = {
  calls: number
  /** Compute units, exact to the hundredth. */
  cu: number
  /** Bytes delivered to webhooks; JSON-RPC calls count 0. */
  bytes: number
}

export type Variable = {
  /** As queries write it after `$`. */
  name: string
  /** What its items are, and what queries declare it as. */
  kind: 'Address' | 'Bytes32'
  /** How many items it has. */
  items: number
  /** The webhooks whose queries name it, in the order of their ids. */
  webhook_ids: readonly string[]
}

export type VariableChange = {
  /**
   * 1 to 10,000 addresses, or as many values of 32 bytes; not both. What is given twice counts
   * once.
   */
  add?: readonly string[]
  /**
   * 1 to 10,000 addresses, or as many values of 32 bytes; not both. What is given twice counts
   * once.
   */
  delete?: readonly string[]
}

export type VariableList = {
  /** By name, in ascending order; at most 1,000. */
  data: readonly Variable[]
  /** Of all variables together. */
  items: number
  /** How many all may have together, by the tier. */
  items_max: number
}

export type VariablePage = {
  /** Items in lower case, in ascending order. */
  data: readonly string[]
  pagination: VariablePagination
}

export type VariablePagination = {
  /** `after` is what asks for the next page; on the last one it is absent. */
  cursors: {
    after?: string
  }
  /** Of all items of the variable. */
  total_count: number
}

export type Verify = {
  /** As configured. */
  mode: 'auto' | 'receipts' | 'off'
  /** Blocks are proven by their hash: header, transactions, receipts, withdrawals. */
  form: 'receipts' | null
  /** Why they are not, such as `op_deposits`: then their parts are compared with each other. */
  fallback: string | null
  /**
   * The last block that was taken without a proof, as more than half of the upstreams show it so.
   */
  unproven: UnprovenBlock | null
}

export type Webhook = {
  id: string
  /** Empty when none was given. */
  name: string
  network: string
  webhook_type: 'GRAPHQL'
  webhook_url: string
  /** The same as `state` in one bit. */
  is_active: boolean
  state: 'active' | 'paused'
  /**
   * Why it is paused; null while it is active. `BACKLOG_FULL`: more results are undelivered than
   * the tier allows.
   */
  deactivation_reason: 
    | 'MANUAL'
    | 'MONTHLY_CAPACITY_EXCEEDED'
    | 'DESTINATION_GONE'
    | 'BACKLOG_FULL'
    | null
  /** Milliseconds since 1970, UTC. */
  time_created: number
  /** What deliveries are signed with. Keep it secret. */
  signing_key: string
  /** What the next rotation switches to; null unless one is prepared. */
  next_signing_key: string | null
  version: 'V2'
  /** The query as it is run, with both of its fields; without a block that it named. */
  graphql_query: GraphqlQuery
  /** The app that deliveries are accounted to, if one was given and was not deleted since. */
  app_id: string | null
  /** Strictly one delivery after the other: each waits for the retries of the last. */
  ordered: boolean
  /**
   * With `skip_empty_messages`: when a reorganisation leaves nothing of a height that was delivered
   * before, its empty result is delivered too.
   */
  notify_removed: boolean
}

export type WebhookChange = {
  /** The webhook’s id. */
  webhook_id: string
  /** False pauses it. True goes on with the next block, whatever paused it. */
  is_active?: boolean
  /** Up to 100 characters of your own words, no control characters. */
  name?: string
  /** Where deliveries go: http or https, to a public address, without credentials in it. */
  webhook_url?: string
  /** The text of the new query, or an object with what changes of it. */
  graphql_query?: string | GraphqlQueryChange
  /** Strictly one delivery after the other: each waits for the retries of the last. */
  ordered?: boolean
  /**
   * With `skip_empty_messages`: when a reorganisation leaves nothing of a height that was delivered
   * before, its empty result is delivered too.
   */
  notify_removed?: boolean
}

export type WebhookDay = {
  delivered: number
  /** Given up after all attempts. */
  failed: number
  /** For the first attempt or the next, whenever it was created. */
  waiting: number
  /** Delivered with more than one attempt, at least among the newest 100. */
  retried: number
  /**
   * Those created since then are counted: 24 hours ago, or later where there are more than 10,000.
   */
  time_from: number
}

export type WebhookEvent = {
  id: string
  state: 'active' | 'paused' | 'deleted'
  is_active: boolean
  /**
   * Why it is paused; null while it is active. `BACKLOG_FULL`: more results are undelivered than
   * the tier allows.
   */
  deactivation_reason: 
    | 'MANUAL'
    | 'MONTHLY_CAPACITY_EXCEEDED'
    | 'DESTINATION_GONE'
    | 'BACKLOG_FULL'
    | null
}

export type WebhookQuery = {
  webhook_id: string
  /** The text of the query, as it is run. */
  graphql_query: string
}

export type WebhookStats = {
  webhook_id: string
  last_24_hours: WebhookDay
  /** Delivered, of those delivered or failed, two digits after the point; null for none. */
  success_percent: number | null
  last_delivery: LastDelivery | null
  /** The newest 48, oldest first. */
  recent: readonly RecentDelivery[]
}

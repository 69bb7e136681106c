export type MetricSpec = {
  kind: 'counter' | 'histogram' | 'gauge'
  labels: readonly string[]
  /** Stands in `# HELP`: a sentence for whoever reads the page. */
  help: string
  /**
   * How the values of several processes are shown as one; absent: that of the main process, or
   * the greatest where it has none. Counters and histograms are summed.
   */
  over?: 'sum' | 'max' | 'min'
}

const counter = <const Labels extends readonly string[]>(labels: Labels, help: string) =>
  ({ kind: 'counter', labels, help }) as const

const gauge = <const Labels extends readonly string[]>(
  labels: Labels,
  help: string,
  over?: MetricSpec['over'],
) => ({ kind: 'gauge', labels, help, ...(over && { over }) }) as const

/** A histogram of durations: noted in milliseconds, shown in Prometheus's unit, seconds. */
const histogram = <const Labels extends readonly string[]>(labels: Labels, help: string) =>
  ({ kind: 'histogram', labels, help }) as const

/**
 * Every metric there is, so that none goes without its help, and one that is not here does not
 * compile. By the conventions of Prometheus: base units (seconds, bytes, a ratio from 0 to 1) end
 * the name, and `_total` ends that of a counter.
 */
export const METRICS = {
  headgate_rpc_calls_total: counter(
    ['network', 'method', 'outcome'],
    'JSON-RPC calls; a batch counts its members.',
  ),
  headgate_rpc_request_duration_seconds: histogram(
    ['network'],
    'Time of a JSON-RPC request until its answer begins.',
  ),
  headgate_accepting_connections: gauge([], '0 while new connections are refused.', 'min'),
  headgate_websocket_connections: gauge([], 'WebSocket connections that are open.', 'sum'),
  headgate_websocket_closes_total: counter(
    ['reason'],
    'WebSocket connections that were closed, and why.',
  ),
  headgate_subscriptions: gauge([], 'Subscriptions of WebSocket connections.', 'sum'),
  headgate_subscription_notifications_total: counter(
    ['network', 'notification'],
    'Notifications of subscriptions that were sent.',
  ),
  headgate_event_streams: gauge([], 'Streams of events that are open.'),
  headgate_event_streams_ended_total: counter(
    ['reason'],
    'Streams of events that ended: left, slow, revoked, stopped.',
  ),
  headgate_gateway_workers: gauge([], 'Processes that serve JSON-RPC beside the main one.'),
  headgate_gateway_worker_exits_total: counter(
    [],
    'Processes serving JSON-RPC that ended by themselves and were replaced.',
  ),
  headgate_network_head: gauge(['network'], 'Height of the agreed head; 0 while unknown.'),
  headgate_upstream_used: gauge(['network', 'upstream'], '1 while the upstream gets calls.', 'max'),
  headgate_upstream_head: gauge(['network', 'upstream'], 'Height that the upstream reported last.'),
  headgate_upstream_in_flight: gauge(
    ['network', 'upstream'],
    'Calls under way to the upstream.',
    'sum',
  ),
  headgate_upstream_disagreements_total: counter(
    ['network', 'upstream'],
    'Answers of the upstream unlike those that a quorum of others agreed on.',
  ),
  headgate_upstream_latency_seconds: gauge(
    ['network', 'upstream'],
    'Moving average of the time that the upstream takes to answer.',
    'max',
  ),
  headgate_upstream_error_ratio: gauge(
    ['network', 'upstream'],
    'Share of calls to the upstream that failed in the last ten seconds.',
    'max',
  ),
  headgate_log_pieces_total: counter(
    ['network', 'outcome'],
    'Parts of eth_getLogs that was answered in pieces: read, cached, split.',
  ),
  headgate_short_log_answers_total: counter(
    ['network', 'upstream'],
    'Answers to eth_getLogs in which the upstream left logs out.',
  ),
  headgate_upstream_credits_total: counter(
    ['network', 'upstream'],
    'Credits spent at an upstream that has a budget.',
  ),
  headgate_upstream_month_credits: gauge(
    ['network', 'upstream'],
    "Credits of the upstream's account that are spent since its reset day.",
    'max',
  ),
  headgate_blocks_total: counter(['network'], 'Blocks that became canonical and were evaluated.'),
  headgate_block_duration_seconds: histogram(
    ['network', 'part'],
    'Time of a block: to read it, to run the queries, to commit.',
  ),
  headgate_deliveries_due_total: counter(['network'], 'Deliveries committed.'),
  headgate_reorganisations_total: counter(['network'], 'Reorganisations followed.'),
  headgate_finality_alarms_total: counter(
    ['network'],
    'Forks that would replace what was final; they are not followed.',
  ),
  headgate_block_disagreements_total: counter(
    ['network', 'upstream'],
    'Blocks whose parts did not agree; they are read again elsewhere.',
  ),
  headgate_block_proof_failures_total: counter(
    ['network', 'upstream'],
    'Blocks that are not what their hash stands for; they are read elsewhere.',
  ),
  headgate_blocks_unproven_total: counter(
    ['network'],
    'Blocks taken without a proof, as most upstreams show them in an unknown form.',
  ),
  headgate_followed_networks: gauge([], 'Networks that this process follows.'),
  headgate_follower_block: gauge(['network'], 'Height of the last block evaluated.'),
  headgate_follower_lag_blocks: gauge(
    ['network'],
    'Blocks between the last one evaluated and the agreed head.',
  ),
  headgate_follower_behind_seconds: gauge(
    ['network'],
    'Time for which a head that was known has not been reached; 0 while the follower keeps up.',
  ),
  headgate_follower_errors_total: counter(
    ['network'],
    'Rounds of the follower that failed; they are repeated.',
  ),
  headgate_replayed_blocks_total: counter(['network'], 'Blocks evaluated for replays.'),
  headgate_replay_errors_total: counter(
    ['network'],
    'Blocks of replays that no upstream gave; they are asked for again.',
  ),
  headgate_deliveries_total: counter(['network', 'outcome'], 'Attempts at deliveries.'),
  headgate_delivery_duration_seconds: histogram(['network'], 'Time of an attempt at a delivery.'),
  headgate_delivery_lag_seconds: histogram(
    ['network'],
    'Time from the commit of a delivery to its acceptance.',
  ),
  headgate_oldest_waiting_delivery_seconds: gauge(
    ['network'],
    'Time for which the oldest delivery waits that its destination could take; 0 while none does.',
  ),
  headgate_deliveries_in_flight: gauge([], 'Attempts at deliveries under way.'),
  headgate_delivery_in_flight_bytes: gauge([], 'Bodies of the attempts under way.'),
  headgate_host_breakers_open: gauge([], 'Destinations whose circuit breaker is open.'),
  headgate_delivery_outcomes_lost_total: counter(
    [],
    'Outcomes that did not count, as the delivery was sent anew or cancelled meanwhile.',
  ),
  headgate_courier_commit_failures_total: counter(
    [],
    'Groups of outcomes that the store refused; they are repeated.',
  ),
  headgate_courier_failures_total: counter(
    [],
    'Reads and writes of the courier that failed; they are repeated.',
  ),
  headgate_courier_shards: gauge([], 'Shards of webhooks that this process sends to, of 256.'),
  headgate_courier_fenced_total: counter(
    [],
    'Times that the courier lost its shards, as its lease was not renewed in time.',
  ),
  headgate_capacity_pauses_total: counter([], 'Teams paused because their month was used up.'),
  headgate_backlog_pauses_total: counter([], 'Teams paused because too much was undelivered.'),
  headgate_pruned_rows_total: counter(['what'], 'Rows that retention removed.'),
  headgate_disk_free_bytes: gauge([], 'Room on the disk of the data folder.'),
  headgate_disk_low: gauge([], '1 while that is less than limits.diskFreeBytesMin.'),
  headgate_store_failures_total: counter(['part'], 'Other statements that the store refused.'),
  headgate_store_went_back_total: counter(
    ['network'],
    'Times that the store had lost its latest commits, as after the promotion of a standby.',
  ),
  headgate_usage_write_failures_total: counter([], 'Writes of usage that failed and are repeated.'),
  headgate_directory_look_failures_total: counter([], 'Looks for changed keys that failed.'),
  headgate_signals_lost_total: counter(
    ['reason'],
    'Hints to other processes that were not sent; the changes are found a little later.',
  ),
  headgate_signals_ignored_total: counter(
    ['reason'],
    'Messages between processes that no process of this version sends.',
  ),
  headgate_limit_frames_ignored_total: counter(
    [],
    'Messages of other processes about limits that could not be read.',
  ),
  headgate_account_scans_total: counter(
    ['network', 'outcome'],
    'Scans of programs for getProgramAccounts.',
  ),
  headgate_account_walks: gauge([], 'Scans under way, and those kept for later pages.'),
  headgate_account_spill_bytes: gauge([], 'Scans kept on the disk.'),
  headgate_index_live: gauge(['network', 'program'], '1 while the index hears of every change.'),
  headgate_index_lag_slots: gauge(
    ['network', 'program'],
    'Slots between the newest one that the index can show and the agreed head.',
  ),
  headgate_index_accounts: gauge(['network', 'program'], 'Accounts in the index.'),
  headgate_index_passes_total: counter(
    ['network', 'kind', 'outcome'],
    'Scans of nodes for the index.',
  ),
  headgate_bugs_total: counter([], 'Requests that hit a bug of ours.'),
  headgate_log_lines_dropped_total: counter([], 'Log lines that nobody read in time.'),
  headgate_metric_samples_dropped_total: counter([], 'Samples beyond 10,000 series.'),
  process_cpu_seconds_total: counter([], 'CPU time of the process, of all its threads.'),
  process_resident_memory_bytes: gauge([], 'Memory of the process that is in RAM.', 'sum'),
  process_start_time_seconds: gauge([], 'When the process started, in seconds since 1970.'),
  process_open_fds: gauge([], 'Open file descriptors; only where the system tells (Linux).', 'sum'),
  process_max_fds: gauge(
    [],
    'Limit of open file descriptors; only where the system tells (Linux).',
  ),
  nodejs_heap_size_used_bytes: gauge([], 'Heap of the main thread in use.', 'sum'),
  nodejs_external_memory_bytes: gauge(
    [],
    'Memory outside of the heap that its objects hold.',
    'sum',
  ),
  nodejs_eventloop_lag_mean_seconds: gauge(
    [],
    'Mean lateness of timers in the main thread since the last scrape.',
    'max',
  ),
  nodejs_eventloop_lag_p50_seconds: gauge(
    [],
    'Median lateness of timers in the main thread since the last scrape.',
    'max',
  ),
  nodejs_eventloop_lag_p99_seconds: gauge(
    [],
    '99th percentile of the lateness of timers in the main thread since the last scrape.',
    'max',
  ),
  nodejs_eventloop_lag_max_seconds: gauge(
    [],
    'Greatest lateness of a timer in the main thread since the last scrape.',
    'max',
  ),
} as const satisfies Record<string, MetricSpec>

type Metrics = typeof METRICS
type MetricName = keyof Metrics

type NameOf<Kind extends MetricSpec['kind']> = {
  [Name in MetricName]: Metrics[Name]['kind'] extends Kind ? Name : never
}[MetricName]

export type CounterName = NameOf<'counter'>
export type HistogramName = NameOf<'histogram'>
export type GaugeName = NameOf<'gauge'>

export type LabelsOf<Name extends MetricName> = Readonly<
  Record<Metrics[Name]['labels'][number], string>
>

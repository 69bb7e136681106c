-- The tables of version 0.3.0 as PostgreSQL has them: the same columns as SQLite's, with partitions.
-- Text is compared byte by byte, as SQLite does.

-- Rows that every event or group of outcomes writes have room for their next versions on the same
-- page, where these touch no index and are soon cleared away: hence the fill factors.

CREATE TABLE teams (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  tier TEXT COLLATE "C" NOT NULL,
  autoscaling BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL
);

CREATE TABLE tokens (
  id TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL,
  team_id TEXT COLLATE "C" REFERENCES teams (id),
  name TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  created_at_ms BIGINT NOT NULL
);

CREATE INDEX tokens_by_team ON tokens (team_id, created_at_ms);

CREATE TABLE apps (
  id TEXT COLLATE "C" PRIMARY KEY,
  team_id TEXT COLLATE "C" NOT NULL REFERENCES teams (id),
  name TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  networks TEXT COLLATE "C" NOT NULL,
  is_active BIGINT NOT NULL,
  key_hash TEXT COLLATE "C" NOT NULL UNIQUE,
  key_sealed TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL,
  allow_origins TEXT COLLATE "C" NOT NULL DEFAULT '',
  allow_ips TEXT COLLATE "C" NOT NULL DEFAULT '',
  allow_methods TEXT COLLATE "C" NOT NULL DEFAULT '',
  allow_contracts TEXT COLLATE "C" NOT NULL DEFAULT ''
);

CREATE INDEX apps_by_team ON apps (team_id, created_at_ms);

CREATE TABLE revisions (
  topic TEXT COLLATE "C" PRIMARY KEY,
  revision BIGINT NOT NULL
);

CREATE TABLE usage (
  team_id TEXT COLLATE "C" NOT NULL,
  hour_ms BIGINT NOT NULL,
  app_id TEXT COLLATE "C" NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  method TEXT COLLATE "C" NOT NULL,
  calls BIGINT NOT NULL,
  centi_cu BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  PRIMARY KEY (team_id, hour_ms, app_id, network, method)
);

CREATE TABLE team_months (
  team_id TEXT COLLATE "C" NOT NULL,
  month TEXT COLLATE "C" NOT NULL,
  centi_cu BIGINT NOT NULL,
  PRIMARY KEY (team_id, month)
);

CREATE TABLE usage_marks (
  writer TEXT COLLATE "C" PRIMARY KEY,
  sequence BIGINT NOT NULL,
  written_at_ms BIGINT NOT NULL
);

CREATE TABLE instance_facts (
  name TEXT COLLATE "C" PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);

CREATE TABLE webhooks (
  id TEXT COLLATE "C" PRIMARY KEY,
  team_id TEXT COLLATE "C" NOT NULL REFERENCES teams (id),
  app_id TEXT COLLATE "C",
  network TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  query TEXT COLLATE "C" NOT NULL,
  skip_empty BIGINT NOT NULL,
  ordered BIGINT NOT NULL,
  notify_removed BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C",
  signing_key_sealed TEXT COLLATE "C" NOT NULL,
  previous_key_sealed TEXT COLLATE "C",
  previous_key_until_ms BIGINT,
  revision BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  next_key_sealed TEXT COLLATE "C",
  variables TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  number BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX webhooks_by_team ON webhooks (team_id, created_at_ms);

CREATE INDEX webhooks_by_revision ON webhooks (revision, id);

CREATE INDEX webhooks_told_of_removals ON webhooks (network) WHERE notify_removed = 1;

CREATE TABLE team_slots (
  team_id TEXT COLLATE "C" PRIMARY KEY,
  webhooks BIGINT NOT NULL
);

CREATE TABLE variables (
  id BIGINT PRIMARY KEY,
  team_id TEXT COLLATE "C" NOT NULL REFERENCES teams (id),
  name TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  item_count BIGINT NOT NULL,
  is_gone BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  removed_count BIGINT NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX variables_by_name ON variables (team_id, name) WHERE is_gone = 0;

CREATE UNIQUE INDEX variables_by_revision ON variables (revision);

CREATE TABLE variable_items (
  variable_id BIGINT NOT NULL,
  item TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL,
  is_gone BIGINT NOT NULL,
  PRIMARY KEY (variable_id, item)
);

CREATE INDEX variable_items_by_revision ON variable_items (variable_id, revision, item);

CREATE TABLE chains (
  network TEXT COLLATE "C" PRIMARY KEY,
  sequence_number BIGINT NOT NULL,
  tip_number BIGINT NOT NULL,
  tip_hash TEXT COLLATE "C" NOT NULL,
  finalized BIGINT,
  updated_at_ms BIGINT NOT NULL,
  highest_number BIGINT NOT NULL DEFAULT 0,
  tip_rerun BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 20);

CREATE TABLE chain_blocks (
  network TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  parent_hash TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (network, number)
);

CREATE TABLE chain_spans (
  network TEXT COLLATE "C" NOT NULL,
  from_number BIGINT NOT NULL,
  sequence_number BIGINT NOT NULL,
  PRIMARY KEY (network, from_number)
);

CREATE TABLE leases (
  name TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT COLLATE "C" NOT NULL,
  until_ms BIGINT NOT NULL
);

CREATE TABLE log_sizes (
  part TEXT COLLATE "C" PRIMARY KEY,
  bytes BIGINT NOT NULL
) WITH (fillfactor = 20);

CREATE TABLE replays (
  id TEXT COLLATE "C" PRIMARY KEY,
  team_id TEXT COLLATE "C" NOT NULL,
  webhook_id TEXT COLLATE "C" NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  from_block BIGINT NOT NULL,
  to_block BIGINT NOT NULL,
  next_block BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  delivered BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  error TEXT COLLATE "C",
  created_at_ms BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL
);

CREATE UNIQUE INDEX replays_running ON replays (webhook_id) WHERE state = 'running';

CREATE INDEX replays_by_team ON replays (team_id, created_at_ms);

CREATE TABLE team_backlogs (
  team_id TEXT COLLATE "C" NOT NULL,
  bytes BIGINT NOT NULL,
  draining BIGINT NOT NULL DEFAULT 0,
  part TEXT COLLATE "C" NOT NULL DEFAULT 'rest',
  PRIMARY KEY (team_id, part)
) WITH (fillfactor = 20);

CREATE INDEX replays_running_by_team ON replays (team_id, created_at_ms)
  WHERE state = 'running';

CREATE UNIQUE INDEX webhooks_by_number ON webhooks (number);

CREATE INDEX webhooks_receiving ON webhooks (id, state, number, team_id);

CREATE SEQUENCE event_numbers;

CREATE TABLE events (
  event BIGINT PRIMARY KEY DEFAULT nextval('event_numbers'),
  network TEXT COLLATE "C" NOT NULL,
  sequence_number BIGINT NOT NULL,
  webhook BIGINT,
  block_number BIGINT,
  block_hash TEXT COLLATE "C",
  error TEXT COLLATE "C",
  created_at_ms BIGINT NOT NULL,
  parts BIGINT NOT NULL,
  rerun BIGINT NOT NULL DEFAULT 0
) PARTITION BY RANGE (event);

CREATE INDEX events_by_sequence ON events (network, sequence_number, webhook);

CREATE INDEX events_by_height ON events (network, block_number);

CREATE INDEX events_rerun ON events (event) WHERE rerun = 1;

CREATE TABLE results (
  key BIGINT PRIMARY KEY,
  bytes BIGINT NOT NULL,
  truncation TEXT COLLATE "C",
  data TEXT COLLATE "C" NOT NULL,
  verified BIGINT NOT NULL DEFAULT 0
) PARTITION BY RANGE (key);

CREATE TABLE deliveries (
  key BIGINT PRIMARY KEY,
  part BIGINT,
  data_bytes BIGINT NOT NULL,
  previous_sequence BIGINT,
  state BIGINT NOT NULL DEFAULT 0,
  version BIGINT NOT NULL DEFAULT 0,
  attempts_made BIGINT NOT NULL DEFAULT 0,
  replay BIGINT NOT NULL DEFAULT 0,
  done_at_ms BIGINT,
  body_bytes BIGINT,
  attempts_bytes BIGINT NOT NULL DEFAULT 0,
  attempts TEXT COLLATE "C" NOT NULL DEFAULT ''
) PARTITION BY RANGE (key);

CREATE TABLE outbox (
  webhook BIGINT NOT NULL,
  lane BIGINT NOT NULL,
  event BIGINT NOT NULL,
  due_at_ms BIGINT NOT NULL,
  PRIMARY KEY (webhook, lane, event)
);

CREATE INDEX outbox_due ON outbox (due_at_ms, webhook) WHERE lane > 0;

CREATE INDEX outbox_retries ON outbox (webhook, due_at_ms) WHERE lane = 1;

CREATE TABLE done_deliveries (
  webhook BIGINT NOT NULL,
  state BIGINT NOT NULL,
  event BIGINT NOT NULL,
  PRIMARY KEY (webhook, state, event)
) PARTITION BY RANGE (event);

CREATE TABLE webhook_marks (
  webhook BIGINT PRIMARY KEY,
  sequence_number BIGINT NOT NULL
) WITH (fillfactor = 20);

CREATE TABLE retention (
  id BIGINT PRIMARY KEY,
  event BIGINT NOT NULL
);

CREATE TABLE late_deliveries (
  done_at_ms BIGINT NOT NULL,
  event BIGINT NOT NULL,
  webhook BIGINT NOT NULL,
  PRIMARY KEY (done_at_ms, event, webhook)
);

CREATE TABLE couriers (
  courier TEXT COLLATE "C" PRIMARY KEY,
  token BIGINT NOT NULL,
  until_ms BIGINT NOT NULL,
  listened_until_ms BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 20);

CREATE TABLE shards (
  shard BIGINT PRIMARY KEY,
  courier TEXT COLLATE "C"
);

CREATE TABLE listing (
  id BIGINT PRIMARY KEY,
  event BIGINT NOT NULL,
  next_event BIGINT NOT NULL,
  created BIGINT NOT NULL,
  created_max BIGINT NOT NULL
);

INSERT INTO retention (id, event) VALUES (1, 0);

INSERT INTO shards (shard) SELECT shard FROM generate_series(0, 255) AS counted (shard);

-- A row for each day that has partitions, counted from 2026. Each day has 2^26 numbers for its
-- events, so that retention drops a day as a whole.
CREATE TABLE event_days (
  day BIGINT PRIMARY KEY,
  has_begun BIGINT NOT NULL,
  is_pruned BIGINT NOT NULL
);

CREATE TABLE followers (
  network TEXT COLLATE "C" NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  until_ms BIGINT NOT NULL,
  PRIMARY KEY (network, holder)
);

CREATE TABLE sessions (
  id TEXT COLLATE "C" PRIMARY KEY,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  token_id TEXT COLLATE "C",
  team_id TEXT COLLATE "C",
  address TEXT COLLATE "C" NOT NULL,
  user_agent TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL,
  used_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL
);

CREATE INDEX sessions_by_token ON sessions (token_id, created_at_ms);

CREATE INDEX sessions_by_team ON sessions (team_id, created_at_ms);

CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);

CREATE TABLE call_stats (
  team_id TEXT COLLATE "C" NOT NULL,
  split TEXT COLLATE "C" NOT NULL,
  span_ms BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  app_id TEXT COLLATE "C" NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  calls BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  node_errors BIGINT NOT NULL,
  cached BIGINT NOT NULL,
  coalesced BIGINT NOT NULL,
  centi_cu BIGINT NOT NULL,
  t0 BIGINT NOT NULL,
  t1 BIGINT NOT NULL,
  t2 BIGINT NOT NULL,
  t3 BIGINT NOT NULL,
  t4 BIGINT NOT NULL,
  t5 BIGINT NOT NULL,
  t6 BIGINT NOT NULL,
  t7 BIGINT NOT NULL,
  t8 BIGINT NOT NULL,
  t9 BIGINT NOT NULL,
  t10 BIGINT NOT NULL,
  t11 BIGINT NOT NULL,
  t12 BIGINT NOT NULL,
  t13 BIGINT NOT NULL,
  t14 BIGINT NOT NULL,
  t15 BIGINT NOT NULL,
  t16 BIGINT NOT NULL,
  t17 BIGINT NOT NULL,
  t18 BIGINT NOT NULL,
  t19 BIGINT NOT NULL,
  PRIMARY KEY (team_id, split, span_ms, at_ms, app_id, network, name)
) WITH (fillfactor = 50);

CREATE INDEX call_stats_by_age ON call_stats (span_ms, at_ms);

CREATE TABLE listeners (
  team_id TEXT COLLATE "C" NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  until_ms BIGINT NOT NULL,
  PRIMARY KEY (team_id, holder)
);

CREATE TABLE delivery_changes (
  change BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team_id TEXT COLLATE "C" NOT NULL,
  at_ms BIGINT NOT NULL,
  entries TEXT COLLATE "C" NOT NULL
);

CREATE TABLE jwt_keys (
  id TEXT COLLATE "C" PRIMARY KEY,
  team_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  algorithm TEXT COLLATE "C" NOT NULL,
  public_key TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL
);

CREATE INDEX jwt_keys_by_team ON jwt_keys (team_id, created_at_ms);

CREATE TABLE upstream_spend (
  account TEXT COLLATE "C" NOT NULL,
  period_start_ms BIGINT NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  upstream TEXT COLLATE "C" NOT NULL,
  requests BIGINT NOT NULL,
  credits BIGINT NOT NULL,
  PRIMARY KEY (account, period_start_ms, network, upstream)
) WITH (fillfactor = 50);

CREATE TABLE sent_transactions (
  app_id TEXT COLLATE "C" NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  block_number BIGINT,
  upstreams TEXT COLLATE "C" NOT NULL,
  sent_at_ms BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  held_at_ms BIGINT NOT NULL,
  PRIMARY KEY (app_id, network, hash)
);

CREATE INDEX sent_transactions_by_app ON sent_transactions (app_id, sent_at_ms, hash);

CREATE INDEX sent_transactions_by_hash ON sent_transactions (network, hash);

CREATE INDEX sent_transactions_by_age ON sent_transactions (sent_at_ms);

CREATE INDEX sent_transactions_pending ON sent_transactions (network, held_at_ms)
  WHERE state = 'pending';

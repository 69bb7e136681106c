-- The tables of version 0.3.0. Whole numbers for time and truth, text for JSON and hex.

CREATE TABLE teams (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  tier TEXT NOT NULL,
  autoscaling BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL
);

-- A token of the operator belongs to no team. The token itself is not kept, only its SHA-256.
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  team_id TEXT REFERENCES teams (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at_ms BIGINT NOT NULL
);

CREATE INDEX tokens_by_team ON tokens (team_id, created_at_ms);

-- The key is found by its SHA-256 and shown again from its sealed form.
CREATE TABLE apps (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL REFERENCES teams (id),
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  networks TEXT NOT NULL,
  is_active BIGINT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  key_sealed TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  -- Where the callers of an app may come from and what they may call, each a JSON list of texts.
  -- An empty list limits nothing, and so does an empty text.
  allow_origins TEXT NOT NULL DEFAULT '',
  allow_ips TEXT NOT NULL DEFAULT '',
  allow_methods TEXT NOT NULL DEFAULT '',
  allow_contracts TEXT NOT NULL DEFAULT ''
);

CREATE INDEX apps_by_team ON apps (team_id, created_at_ms);

CREATE TABLE revisions (
  topic TEXT PRIMARY KEY,
  revision BIGINT NOT NULL
);

-- The ledger refers to nothing: what was used stays on the bill when an app is gone.
-- Its key begins with what every question about it names, the team and a span of time.
CREATE TABLE usage (
  team_id TEXT NOT NULL,
  hour_ms BIGINT NOT NULL,
  app_id TEXT NOT NULL,
  network TEXT NOT NULL,
  method TEXT NOT NULL,
  calls BIGINT NOT NULL,
  centi_cu BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  PRIMARY KEY (team_id, hour_ms, app_id, network, method)
);

-- What a team has spent in a month, moved together with the ledger, since every process asks often.
CREATE TABLE team_months (
  team_id TEXT NOT NULL,
  month TEXT NOT NULL,
  centi_cu BIGINT NOT NULL,
  PRIMARY KEY (team_id, month)
);

-- The last batch that each writer of usage has written.
CREATE TABLE usage_marks (
  writer TEXT PRIMARY KEY,
  sequence BIGINT NOT NULL,
  written_at_ms BIGINT NOT NULL
);

CREATE TABLE instance_facts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- A deleted webhook stays as a row, so that every process learns of it by its revision.
-- The app may be gone, so it is named and not referred to.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL REFERENCES teams (id),
  app_id TEXT,
  network TEXT NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  query TEXT NOT NULL,
  skip_empty BIGINT NOT NULL,
  ordered BIGINT NOT NULL,
  notify_removed BIGINT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  signing_key_sealed TEXT NOT NULL,
  previous_key_sealed TEXT,
  previous_key_until_ms BIGINT,
  revision BIGINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  -- The key that the next rotation switches to, once it was asked for in advance.
  next_key_sealed TEXT,
  -- The kinds of the variables that the query declares, by name.
  variables TEXT NOT NULL DEFAULT '{}',
  -- Counted from 1 in the order of creation.
  number BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX webhooks_by_team ON webhooks (team_id, created_at_ms);

CREATE INDEX webhooks_by_revision ON webhooks (revision, id);

CREATE INDEX webhooks_told_of_removals ON webhooks (network) WHERE notify_removed = 1;

CREATE UNIQUE INDEX webhooks_by_number ON webhooks (number);

-- The queries of webhooks are long; who gets a result is read from the index alone.
CREATE INDEX webhooks_receiving ON webhooks (id, state, number, team_id);

-- What of its limits a team has taken, in one row, so that a conditional update can take more.
CREATE TABLE team_slots (
  team_id TEXT PRIMARY KEY,
  webhooks BIGINT NOT NULL
);

-- The id is the revision that made the variable. A deleted one stays, as webhooks do.
CREATE TABLE variables (
  id BIGINT PRIMARY KEY,
  team_id TEXT NOT NULL REFERENCES teams (id),
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  item_count BIGINT NOT NULL,
  is_gone BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  -- Removed items whose rows are still kept, which take as much room as the others.
  removed_count BIGINT NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX variables_by_name ON variables (team_id, name) WHERE is_gone = 0;

-- Unique, because one change touches one variable: a revision alone says how far one has read.
CREATE UNIQUE INDEX variables_by_revision ON variables (revision);

-- A removed item stays, with the revision of its removal, for those who read what has changed.
CREATE TABLE variable_items (
  variable_id BIGINT NOT NULL,
  item TEXT NOT NULL,
  revision BIGINT NOT NULL,
  is_gone BIGINT NOT NULL,
  PRIMARY KEY (variable_id, item)
);

CREATE INDEX variable_items_by_revision ON variable_items (variable_id, revision, item);

CREATE TABLE chains (
  network TEXT PRIMARY KEY,
  sequence_number BIGINT NOT NULL,
  tip_number BIGINT NOT NULL,
  tip_hash TEXT NOT NULL,
  finalized BIGINT,
  updated_at_ms BIGINT NOT NULL,
  -- The highest block that ever was the tip: one up to there runs its height again.
  highest_number BIGINT NOT NULL DEFAULT 0,
  -- 1 where the tip is such a block.
  tip_rerun BIGINT NOT NULL DEFAULT 0
);

-- The tail: canonical blocks that may still be replaced.
CREATE TABLE chain_blocks (
  network TEXT NOT NULL,
  number BIGINT NOT NULL,
  hash TEXT NOT NULL,
  parent_hash TEXT NOT NULL,
  PRIMARY KEY (network, number)
);

-- From a height upwards each block has the number of the one below it plus one, until the
-- next span begins. Only the start and forks begin spans, so all heights fit into few rows.
CREATE TABLE chain_spans (
  network TEXT NOT NULL,
  from_number BIGINT NOT NULL,
  sequence_number BIGINT NOT NULL,
  PRIMARY KEY (network, from_number)
);

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until_ms BIGINT NOT NULL
);

-- How much the log holds, by what it consists of: adding it all up would take too long.
CREATE TABLE log_sizes (
  part TEXT PRIMARY KEY,
  bytes BIGINT NOT NULL
);

CREATE TABLE replays (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  network TEXT NOT NULL,
  from_block BIGINT NOT NULL,
  to_block BIGINT NOT NULL,
  next_block BIGINT NOT NULL,
  state TEXT NOT NULL,
  delivered BIGINT NOT NULL,
  skipped BIGINT NOT NULL,
  error TEXT,
  created_at_ms BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL
);

-- One at a time for a webhook: two would send the same deliveries in turns.
CREATE UNIQUE INDEX replays_running ON replays (webhook_id) WHERE state = 'running';

CREATE INDEX replays_by_team ON replays (team_id, created_at_ms);

-- Replays are worked on team by team.
CREATE INDEX replays_running_by_team ON replays (team_id, created_at_ms)
  WHERE state = 'running';

-- What a team has undelivered is the sum of parts: one for each network, whose events come one
-- after the other, some for couriers, and one for everything else. As a single row, everyone who
-- creates or settles deliveries of the team would wait for the commit of the one before.
CREATE TABLE team_backlogs (
  team_id TEXT NOT NULL,
  part TEXT NOT NULL,
  -- A courier's part is negative: it takes away what the parts of networks have counted.
  bytes BIGINT NOT NULL,
  -- 1 while the backlog goes down after webhooks were unpaused above the limit.
  draining BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, part)
);

-- All that the deliveries of an event share. Only events that brought somebody something.
CREATE TABLE events (
  event INTEGER PRIMARY KEY AUTOINCREMENT,
  network TEXT NOT NULL,
  -- That of errors is negative: the revision that paused their webhooks.
  sequence_number BIGINT NOT NULL,
  -- The only webhook it is for, if a replay made it; else null.
  webhook BIGINT,
  -- Null for errors, as is the hash.
  block_number BIGINT,
  block_hash TEXT,
  -- The message of an error.
  error TEXT,
  created_at_ms BIGINT NOT NULL,
  -- How many results it has had, so that the number of one is never used again.
  parts BIGINT NOT NULL,
  -- 1 where a reorganisation replaced the height, and this event ran it again.
  rerun BIGINT NOT NULL DEFAULT 0
);

-- Not unique: a replay that creates a delivery makes an event of its own, which the log shows
-- on top.
CREATE INDEX events_by_sequence ON events (network, sequence_number, webhook);

CREATE INDEX events_by_height ON events (network, block_number);

CREATE INDEX events_rerun ON events (event) WHERE rerun = 1;

-- A result is stored once for all webhooks that have it. The key is event * 16777216 + part.
CREATE TABLE results (
  key INTEGER PRIMARY KEY,
  bytes BIGINT NOT NULL,
  truncation TEXT,
  data TEXT NOT NULL,
  -- 1 where the block of the result was proven by its hash.
  verified BIGINT NOT NULL DEFAULT 0
);

-- The key is event * 16777216 + the number of the webhook, so that rows are appended and no
-- other index is needed. It has up to 63 bits and never leaves the database as a whole.
CREATE TABLE deliveries (
  key INTEGER PRIMARY KEY,
  -- Which of the event's results it carries; null for errors.
  part BIGINT,
  data_bytes BIGINT NOT NULL,
  previous_sequence BIGINT,
  -- 0 waiting, 1 delivered, 2 failed, 3 cancelled.
  state BIGINT NOT NULL DEFAULT 0,
  -- One more whenever it is sent anew: the outcome of an attempt from before does not count.
  version BIGINT NOT NULL DEFAULT 0,
  -- Since it was last sent anew.
  attempts_made BIGINT NOT NULL DEFAULT 0,
  replay BIGINT NOT NULL DEFAULT 0,
  done_at_ms BIGINT,
  body_bytes BIGINT,
  attempts_bytes BIGINT NOT NULL DEFAULT 0,
  -- The attempts, a line of JSON each.
  attempts TEXT NOT NULL DEFAULT ''
);

-- What waits to be sent, and nothing else.
CREATE TABLE outbox (
  webhook BIGINT NOT NULL,
  -- 0 new, 1 sent again, 2 error.
  lane BIGINT NOT NULL,
  event BIGINT NOT NULL,
  due_at_ms BIGINT NOT NULL,
  PRIMARY KEY (webhook, lane, event)
) WITHOUT ROWID;

-- What is new is due at once.
CREATE INDEX outbox_due ON outbox (due_at_ms, webhook) WHERE lane > 0;

CREATE INDEX outbox_retries ON outbox (webhook, due_at_ms) WHERE lane = 1;

-- What does not wait any more, by webhook and state: the log finds each state for itself. An
-- index on the deliveries would be written for each event, page by page; this one is written
-- for a group of outcomes.
CREATE TABLE done_deliveries (
  webhook BIGINT NOT NULL,
  state BIGINT NOT NULL,
  event BIGINT NOT NULL,
  PRIMARY KEY (webhook, state, event)
) WITHOUT ROWID;

-- The number of the last delivery committed for a webhook.
CREATE TABLE webhook_marks (
  webhook INTEGER PRIMARY KEY,
  sequence_number BIGINT NOT NULL
);

-- One row: events up to here have been looked at by retention.
CREATE TABLE retention (
  id BIGINT PRIMARY KEY,
  event BIGINT NOT NULL
);

INSERT INTO retention (id, event) VALUES (1, 0);

-- Deliveries of events up to there that were done too late to be removed with them.
CREATE TABLE late_deliveries (
  done_at_ms BIGINT NOT NULL,
  event BIGINT NOT NULL,
  webhook BIGINT NOT NULL,
  PRIMARY KEY (done_at_ms, event, webhook)
) WITHOUT ROWID;

-- Whoever sends, with the fencing token of its last life and the end of its lease.
CREATE TABLE couriers (
  courier TEXT PRIMARY KEY,
  token BIGINT NOT NULL,
  until_ms BIGINT NOT NULL,
  -- Until then somebody listens. A courier sees it in its own row, which it writes with each group
  -- of outcomes, so that one whom nobody listens to asks for nothing.
  listened_until_ms BIGINT NOT NULL DEFAULT 0
);

-- Webhooks are spread over these by the low bits of their numbers.
CREATE TABLE shards (
  shard BIGINT PRIMARY KEY,
  courier TEXT
);

INSERT INTO shards (shard)
WITH RECURSIVE counted (shard) AS (
  SELECT 0 UNION ALL SELECT shard + 1 FROM counted WHERE shard < 255)
SELECT shard FROM counted;

-- One row. What was delivered of the events up to `event` stands in done_deliveries. What was
-- delivered of newer ones does not yet: it is found among the deliveries themselves, and is listed
-- many at a time, webhook by webhook. One by one, each would write a page of its webhook's. Without
-- the row everything is listed when it is delivered.
CREATE TABLE listing (
  id BIGINT PRIMARY KEY,
  event BIGINT NOT NULL,
  -- The event up to which is listed next.
  next_event BIGINT NOT NULL,
  -- Deliveries that were created after that one's.
  created BIGINT NOT NULL,
  -- With so many of them the next are listed: most are delivered by then. A page of the log reads
  -- up to twice as many that are not listed.
  created_max BIGINT NOT NULL
);

INSERT INTO listing (id, event, next_event, created, created_max) VALUES (1, 0, 0, 0, 8192);

-- Processes that could follow a network until then, whoever of them has its lease.
CREATE TABLE followers (
  network TEXT NOT NULL,
  holder TEXT NOT NULL,
  until_ms BIGINT NOT NULL,
  PRIMARY KEY (network, holder)
);

-- Browsers that are signed in. The cookie itself is not kept, only its SHA-256. A session counts for
-- nothing without its token; one that was signed in by the link of local development has none.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  token_id TEXT,
  -- Null for the operator's.
  team_id TEXT,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  used_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL
);

CREATE INDEX sessions_by_token ON sessions (token_id, created_at_ms);

CREATE INDEX sessions_by_team ON sessions (team_id, created_at_ms);

CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);

-- How calls went and how long they took, by the minute, the hour and the day, as `span_ms` says.
-- Rows only ever add up, so that any number of processes write them. `split` says what `name` is:
-- a method, a status, an upstream; with `none` it is empty. Requests to nodes (`node`) belong to
-- no team. t0 to t19 count calls by how long they took.
CREATE TABLE call_stats (
  team_id TEXT NOT NULL,
  split TEXT NOT NULL,
  span_ms BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  app_id TEXT NOT NULL,
  network TEXT NOT NULL,
  name TEXT NOT NULL,
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
);

-- By age, for retention.
CREATE INDEX call_stats_by_age ON call_stats (span_ms, at_ms);

-- Teams whose deliveries somebody watches as they change, until then.
CREATE TABLE listeners (
  team_id TEXT NOT NULL,
  -- The process that has streams of events open.
  holder TEXT NOT NULL,
  until_ms BIGINT NOT NULL,
  PRIMARY KEY (team_id, holder)
);

-- The deliveries of such a team that one transaction has changed, for a minute.
CREATE TABLE delivery_changes (
  change INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  -- Event and webhook of each, as in '17-4 17-5'; empty where there are too many to be told.
  entries TEXT NOT NULL
);

-- Public keys of teams, whose private halves sign JSON Web Tokens. The id is the token's `kid`.
CREATE TABLE jwt_keys (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  name TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  -- PEM of its SubjectPublicKeyInfo.
  public_key TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL
);

CREATE INDEX jwt_keys_by_team ON jwt_keys (team_id, created_at_ms);

-- Requests and credits of upstreams by billing month, which begins on the reset day of the budget.
-- Rows only ever add up, so that any number of processes write them.
CREATE TABLE upstream_spend (
  account TEXT NOT NULL,
  period_start_ms BIGINT NOT NULL,
  network TEXT NOT NULL,
  upstream TEXT NOT NULL,
  requests BIGINT NOT NULL,
  credits BIGINT NOT NULL,
  PRIMARY KEY (account, period_start_ms, network, upstream)
);

-- The signed transactions that apps have sent, and what became of them, for some days.
CREATE TABLE sent_transactions (
  app_id TEXT NOT NULL,
  network TEXT NOT NULL,
  hash TEXT NOT NULL,
  -- pending, mined, failed (mined and reverted) or dropped.
  state TEXT NOT NULL,
  block_number BIGINT,
  -- Names of the upstreams that took it, as a JSON list.
  upstreams TEXT NOT NULL,
  sent_at_ms BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  -- The process that follows it, and when it last said so; others take over what nobody holds.
  holder TEXT NOT NULL,
  held_at_ms BIGINT NOT NULL,
  PRIMARY KEY (app_id, network, hash)
);

CREATE INDEX sent_transactions_by_app ON sent_transactions (app_id, sent_at_ms, hash);

CREATE INDEX sent_transactions_by_hash ON sent_transactions (network, hash);

CREATE INDEX sent_transactions_by_age ON sent_transactions (sent_at_ms);

CREATE INDEX sent_transactions_pending ON sent_transactions (network, held_at_ms)
  WHERE state = 'pending';

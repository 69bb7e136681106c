-- One text for SQLite and PostgreSQL: whole numbers for time and truth, text for JSON and hex.

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
  created_at_ms BIGINT NOT NULL
);

CREATE INDEX webhooks_by_team ON webhooks (team_id, created_at_ms);

CREATE INDEX webhooks_by_revision ON webhooks (revision, id);

CREATE INDEX webhooks_told_of_removals ON webhooks (network) WHERE notify_removed = 1;

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
  revision BIGINT NOT NULL
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
  updated_at_ms BIGINT NOT NULL
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

-- A result is stored once for all webhooks that have it.
CREATE TABLE results (
  network TEXT NOT NULL,
  sequence_number BIGINT NOT NULL,
  part BIGINT NOT NULL,
  data TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  truncation TEXT,
  PRIMARY KEY (network, sequence_number, part)
);

-- Errors have neither a block nor a result. The size is known once the body was made.
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL,
  team_id TEXT NOT NULL,
  network TEXT NOT NULL,
  kind TEXT NOT NULL,
  sequence_number BIGINT,
  block_number BIGINT,
  block_hash TEXT,
  part BIGINT,
  error TEXT,
  previous_sequence BIGINT,
  state TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  due_at_ms BIGINT NOT NULL,
  attempts_made BIGINT NOT NULL,
  lease_until_ms BIGINT NOT NULL,
  lease TEXT,
  body_bytes BIGINT,
  replay BIGINT NOT NULL
);

-- Only what waits: the many that are done would make it large for nothing.
CREATE INDEX deliveries_due ON deliveries (due_at_ms) WHERE state = 'waiting';

CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, created_at_ms);

CREATE INDEX deliveries_by_height ON deliveries (webhook_id, block_number);

-- The number of the last delivery committed for a webhook.
CREATE TABLE webhook_marks (
  webhook_id TEXT PRIMARY KEY,
  sequence_number BIGINT NOT NULL
);

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until_ms BIGINT NOT NULL
);

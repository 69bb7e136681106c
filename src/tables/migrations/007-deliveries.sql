-- One row a delivery. PostgreSQL reads three phrases in its own way: INTEGER PRIMARY KEY as
-- BIGINT PRIMARY KEY, AUTOINCREMENT as an identity, and WITHOUT ROWID as nothing.

-- Counted from 1 in the order of creation. Deleted webhooks stay as rows, so that no number is
-- given out twice.
ALTER TABLE webhooks ADD COLUMN number BIGINT NOT NULL DEFAULT 0;

UPDATE webhooks SET number = counted.place FROM (
  SELECT id, ROW_NUMBER() OVER (ORDER BY created_at_ms, id) AS place FROM webhooks) AS counted
WHERE counted.id = webhooks.id;

CREATE UNIQUE INDEX webhooks_by_number ON webhooks (number);

-- The queries of webhooks are long; who gets a result is read from the index alone.
CREATE INDEX webhooks_receiving ON webhooks (id, state, number, team_id);

-- The tables of the earlier versions, until their rows are carried over.
ALTER TABLE deliveries RENAME TO old_deliveries;

ALTER TABLE results RENAME TO old_results;

ALTER TABLE webhook_marks RENAME TO old_marks;

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
  parts BIGINT NOT NULL
);

-- Not unique: a replay that creates a delivery makes an event of its own, which the log shows
-- on top.
CREATE INDEX events_by_sequence ON events (network, sequence_number, webhook);

CREATE INDEX events_by_height ON events (network, block_number);

-- A result is stored once for all webhooks that have it. The key is event * 16777216 + part.
CREATE TABLE results (
  key INTEGER PRIMARY KEY,
  bytes BIGINT NOT NULL,
  truncation TEXT,
  data TEXT NOT NULL
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
  until_ms BIGINT NOT NULL
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

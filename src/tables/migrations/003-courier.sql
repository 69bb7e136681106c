-- One text for SQLite and PostgreSQL: whole numbers for time and truth, text for JSON and hex.

-- Where it waits: 'first' for a first attempt, 'retry' for all that is sent again, 'errors'.
ALTER TABLE deliveries ADD COLUMN lane TEXT NOT NULL DEFAULT 'first';

-- Of its result, which may be large, so that it need not be looked at.
ALTER TABLE deliveries ADD COLUMN data_bytes BIGINT NOT NULL DEFAULT 0;

-- When it was delivered, given up or cancelled.
ALTER TABLE deliveries ADD COLUMN done_at_ms BIGINT;

-- The attempts, a line of JSON each. In a table of their own each would dirty a page of its
-- index, since ids are scattered; here they lie in the row that is written anyway.
ALTER TABLE deliveries ADD COLUMN attempts TEXT NOT NULL DEFAULT '';

-- The bytes of all attempts that were ever noted.
ALTER TABLE deliveries ADD COLUMN attempts_bytes BIGINT NOT NULL DEFAULT 0;

DROP INDEX deliveries_due;

DROP INDEX deliveries_by_webhook;

DROP INDEX deliveries_by_height;

-- Only what waits: the many that are done would make these large for nothing.
CREATE INDEX deliveries_waiting ON deliveries (webhook_id, lane, sequence_number)
  WHERE state = 'waiting';

CREATE INDEX deliveries_retried ON deliveries (webhook_id, due_at_ms)
  WHERE state = 'waiting' AND lane = 'retry';

-- What is new is due at once, and found by other ways.
CREATE INDEX deliveries_due ON deliveries (due_at_ms, webhook_id)
  WHERE state = 'waiting' AND lane <> 'first';

-- What retention may remove.
CREATE INDEX deliveries_done ON deliveries (done_at_ms)
  WHERE state IN ('delivered', 'cancelled');

-- The log, newest first, of each state for itself: a few failed ones among a million
-- delivered ones are found at once, and the other way round. No index begins with a state:
-- SQLite would think that few rows have it and use the index for anything.
-- What is new waits for a moment only and is found by deliveries_waiting.
CREATE INDEX log_waiting_by_webhook ON deliveries (webhook_id, created_at_ms)
  WHERE state = 'waiting' AND lane <> 'first';

CREATE INDEX log_waiting_by_team ON deliveries (team_id, created_at_ms)
  WHERE state = 'waiting' AND lane <> 'first';

CREATE INDEX log_delivered_by_webhook ON deliveries (webhook_id, created_at_ms)
  WHERE state = 'delivered';

CREATE INDEX log_delivered_by_team ON deliveries (team_id, created_at_ms)
  WHERE state = 'delivered';

CREATE INDEX log_ended_by_webhook ON deliveries (webhook_id, state, created_at_ms)
  WHERE state IN ('failed', 'cancelled');

CREATE INDEX log_ended_by_team ON deliveries (team_id, state, created_at_ms)
  WHERE state IN ('failed', 'cancelled');

-- The height comes first, so that what is written for one block lies together.
CREATE INDEX deliveries_by_height ON deliveries (block_number, webhook_id);

-- Tells whether anything still refers to a result.
CREATE INDEX deliveries_by_result ON deliveries (network, sequence_number, part);

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

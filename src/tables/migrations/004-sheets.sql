-- The deliveries of an event as they were committed, some dozens on a sheet. Most arrive at
-- their first attempt, and then this is all that is ever written of them: a row of its own with
-- its entries in seven indexes costs several times as much. One that fails, or that somebody
-- wants something else of, is moved to the deliveries.
CREATE TABLE sheets (
  network TEXT NOT NULL,
  sequence_number BIGINT NOT NULL,
  -- Counted from 0 within the event.
  sheet BIGINT NOT NULL,
  block_number BIGINT NOT NULL,
  block_hash TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  -- How many of them have neither arrived nor been moved.
  open BIGINT NOT NULL,
  -- A letter for each of them: 'o' for open, 'a' for arrived, 'm' for moved.
  marks TEXT NOT NULL,
  -- JSON: what each of them is.
  receivers TEXT NOT NULL,
  -- A line of JSON for each that arrived.
  arrivals TEXT NOT NULL,
  PRIMARY KEY (network, sequence_number, sheet)
);

CREATE INDEX sheets_open ON sheets (created_at_ms) WHERE open > 0;

CREATE INDEX sheets_by_height ON sheets (network, block_number);

CREATE INDEX sheets_by_time ON sheets (network, created_at_ms);

-- Where the log of a webhook can be entered: its first delivery of every 64 events. From there
-- each one names the one before it.
CREATE TABLE log_spans (
  webhook_id TEXT NOT NULL,
  span BIGINT NOT NULL,
  -- The last one before this span.
  previous_sequence BIGINT,
  PRIMARY KEY (webhook_id, span)
);

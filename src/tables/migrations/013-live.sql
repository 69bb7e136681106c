-- The highest block that ever was the tip: one up to there runs its height again.
ALTER TABLE chains ADD COLUMN highest_number BIGINT NOT NULL DEFAULT 0;

UPDATE chains SET highest_number = tip_number;

-- 1 where the tip is such a block.
ALTER TABLE chains ADD COLUMN tip_rerun BIGINT NOT NULL DEFAULT 0;

-- 1 where a reorganisation replaced the height, and this event ran it again.
ALTER TABLE events ADD COLUMN rerun BIGINT NOT NULL DEFAULT 0;

-- Of events before this version it is known where the block that was replaced brought something.
UPDATE events SET rerun = 1 WHERE webhook IS NULL AND block_number IS NOT NULL AND EXISTS (
  SELECT 1 FROM events AS earlier
  WHERE earlier.network = events.network AND earlier.block_number = events.block_number
    AND earlier.webhook IS NULL AND earlier.sequence_number < events.sequence_number);

CREATE INDEX events_rerun ON events (event) WHERE rerun = 1;

-- Teams whose deliveries somebody watches as they change, until then.
CREATE TABLE listeners (
  team_id TEXT NOT NULL,
  -- The process that has streams of events open.
  holder TEXT NOT NULL,
  until_ms BIGINT NOT NULL,
  PRIMARY KEY (team_id, holder)
);

-- Until then somebody listens. A courier sees it in its own row, which it writes with each group
-- of outcomes, so that one whom nobody listens to asks for nothing.
ALTER TABLE couriers ADD COLUMN listened_until_ms BIGINT NOT NULL DEFAULT 0;

-- The deliveries of such a team that one transaction has changed, for a minute.
CREATE TABLE delivery_changes (
  change INTEGER PRIMARY KEY AUTOINCREMENT,
  team_id TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  -- Event and webhook of each, as in '17-4 17-5'; empty where there are too many to be told.
  entries TEXT NOT NULL
);

ALTER TABLE chains ADD COLUMN highest_number BIGINT NOT NULL DEFAULT 0;

UPDATE chains SET highest_number = tip_number;

ALTER TABLE chains ADD COLUMN tip_rerun BIGINT NOT NULL DEFAULT 0;

ALTER TABLE events ADD COLUMN rerun BIGINT NOT NULL DEFAULT 0;

UPDATE events SET rerun = 1 WHERE webhook IS NULL AND block_number IS NOT NULL AND EXISTS (
  SELECT 1 FROM events AS earlier
  WHERE earlier.network = events.network AND earlier.block_number = events.block_number
    AND earlier.webhook IS NULL AND earlier.sequence_number < events.sequence_number);

CREATE INDEX events_rerun ON events (event) WHERE rerun = 1;

CREATE TABLE listeners (
  team_id TEXT COLLATE "C" NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  until_ms BIGINT NOT NULL,
  PRIMARY KEY (team_id, holder)
);

ALTER TABLE couriers ADD COLUMN listened_until_ms BIGINT NOT NULL DEFAULT 0;

CREATE TABLE delivery_changes (
  change BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team_id TEXT COLLATE "C" NOT NULL,
  at_ms BIGINT NOT NULL,
  entries TEXT COLLATE "C" NOT NULL
);

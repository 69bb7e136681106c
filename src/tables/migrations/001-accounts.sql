-- One text for SQLite and PostgreSQL: whole numbers for time and truth, text for JSON and hex.

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
  created_at_ms BIGINT NOT NULL
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

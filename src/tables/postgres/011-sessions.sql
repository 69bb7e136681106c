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

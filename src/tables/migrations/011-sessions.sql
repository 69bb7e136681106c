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

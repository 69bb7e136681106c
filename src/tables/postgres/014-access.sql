ALTER TABLE apps ADD COLUMN allow_origins TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE apps ADD COLUMN allow_ips TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE apps ADD COLUMN allow_methods TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE apps ADD COLUMN allow_contracts TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE TABLE jwt_keys (
  id TEXT COLLATE "C" PRIMARY KEY,
  team_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  algorithm TEXT COLLATE "C" NOT NULL,
  public_key TEXT COLLATE "C" NOT NULL,
  created_at_ms BIGINT NOT NULL
);

CREATE INDEX jwt_keys_by_team ON jwt_keys (team_id, created_at_ms);

-- Where the callers of an app may come from and what they may call, each a JSON list of texts. An
-- empty list limits nothing, and so does an empty text.
ALTER TABLE apps ADD COLUMN allow_origins TEXT NOT NULL DEFAULT '';

ALTER TABLE apps ADD COLUMN allow_ips TEXT NOT NULL DEFAULT '';

ALTER TABLE apps ADD COLUMN allow_methods TEXT NOT NULL DEFAULT '';

ALTER TABLE apps ADD COLUMN allow_contracts TEXT NOT NULL DEFAULT '';

-- Public keys of teams, whose private halves sign JSON Web Tokens. The id is the token's `kid`.
CREATE TABLE jwt_keys (
  id TEXT PRIMARY KEY,
  team_id TEXT NOT NULL,
  name TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  -- PEM of its SubjectPublicKeyInfo.
  public_key TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL
);

CREATE INDEX jwt_keys_by_team ON jwt_keys (team_id, created_at_ms);

-- The signed transactions that apps have sent, and what became of them, for some days.
CREATE TABLE sent_transactions (
  app_id TEXT NOT NULL,
  network TEXT NOT NULL,
  hash TEXT NOT NULL,
  -- pending, mined, failed (mined and reverted) or dropped.
  state TEXT NOT NULL,
  block_number BIGINT,
  -- Names of the upstreams that took it, as a JSON list.
  upstreams TEXT NOT NULL,
  sent_at_ms BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  -- The process that follows it, and when it last said so; others take over what nobody holds.
  holder TEXT NOT NULL,
  held_at_ms BIGINT NOT NULL,
  PRIMARY KEY (app_id, network, hash)
);

CREATE INDEX sent_transactions_by_app ON sent_transactions (app_id, sent_at_ms, hash);

CREATE INDEX sent_transactions_by_hash ON sent_transactions (network, hash);

CREATE INDEX sent_transactions_by_age ON sent_transactions (sent_at_ms);

CREATE INDEX sent_transactions_pending ON sent_transactions (network, held_at_ms)
  WHERE state = 'pending';

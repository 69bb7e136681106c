CREATE TABLE sent_transactions (
  app_id TEXT COLLATE "C" NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  block_number BIGINT,
  upstreams TEXT COLLATE "C" NOT NULL,
  sent_at_ms BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  held_at_ms BIGINT NOT NULL,
  PRIMARY KEY (app_id, network, hash)
);

CREATE INDEX sent_transactions_by_app ON sent_transactions (app_id, sent_at_ms, hash);

CREATE INDEX sent_transactions_by_hash ON sent_transactions (network, hash);

CREATE INDEX sent_transactions_by_age ON sent_transactions (sent_at_ms);

CREATE INDEX sent_transactions_pending ON sent_transactions (network, held_at_ms)
  WHERE state = 'pending';

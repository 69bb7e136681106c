CREATE TABLE upstream_spend (
  account TEXT COLLATE "C" NOT NULL,
  period_start_ms BIGINT NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  upstream TEXT COLLATE "C" NOT NULL,
  requests BIGINT NOT NULL,
  credits BIGINT NOT NULL,
  PRIMARY KEY (account, period_start_ms, network, upstream)
) WITH (fillfactor = 50);

-- Requests and credits of upstreams by billing month, which begins on the reset day of the budget.
-- Rows only ever add up, so that any number of processes write them.
CREATE TABLE upstream_spend (
  account TEXT NOT NULL,
  period_start_ms BIGINT NOT NULL,
  network TEXT NOT NULL,
  upstream TEXT NOT NULL,
  requests BIGINT NOT NULL,
  credits BIGINT NOT NULL,
  PRIMARY KEY (account, period_start_ms, network, upstream)
);

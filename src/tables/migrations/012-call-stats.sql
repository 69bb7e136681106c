-- How calls went and how long they took, by the minute, the hour and the day, as `span_ms` says.
-- Rows only ever add up, so that any number of processes write them. `split` says what `name` is:
-- a method, a status, an upstream; with `none` it is empty. Requests to nodes (`node`) belong to
-- no team. t0 to t19 count calls by how long they took.
CREATE TABLE call_stats (
  team_id TEXT NOT NULL,
  split TEXT NOT NULL,
  span_ms BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  app_id TEXT NOT NULL,
  network TEXT NOT NULL,
  name TEXT NOT NULL,
  calls BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  node_errors BIGINT NOT NULL,
  cached BIGINT NOT NULL,
  coalesced BIGINT NOT NULL,
  centi_cu BIGINT NOT NULL,
  t0 BIGINT NOT NULL,
  t1 BIGINT NOT NULL,
  t2 BIGINT NOT NULL,
  t3 BIGINT NOT NULL,
  t4 BIGINT NOT NULL,
  t5 BIGINT NOT NULL,
  t6 BIGINT NOT NULL,
  t7 BIGINT NOT NULL,
  t8 BIGINT NOT NULL,
  t9 BIGINT NOT NULL,
  t10 BIGINT NOT NULL,
  t11 BIGINT NOT NULL,
  t12 BIGINT NOT NULL,
  t13 BIGINT NOT NULL,
  t14 BIGINT NOT NULL,
  t15 BIGINT NOT NULL,
  t16 BIGINT NOT NULL,
  t17 BIGINT NOT NULL,
  t18 BIGINT NOT NULL,
  t19 BIGINT NOT NULL,
  PRIMARY KEY (team_id, split, span_ms, at_ms, app_id, network, name)
);

-- By age, for retention.
CREATE INDEX call_stats_by_age ON call_stats (span_ms, at_ms);

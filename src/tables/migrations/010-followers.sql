-- Processes that could follow a network until then, whoever of them has its lease.
CREATE TABLE followers (
  network TEXT NOT NULL,
  holder TEXT NOT NULL,
  until_ms BIGINT NOT NULL,
  PRIMARY KEY (network, holder)
);

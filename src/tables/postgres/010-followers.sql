CREATE TABLE followers (
  network TEXT COLLATE "C" NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  until_ms BIGINT NOT NULL,
  PRIMARY KEY (network, holder)
);

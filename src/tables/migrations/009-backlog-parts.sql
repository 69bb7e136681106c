-- What a team has undelivered is the sum of parts: one for each network, whose events come one
-- after the other, some for couriers, and one for everything else. As a single row, everyone who
-- creates or settles deliveries of the team would wait for the commit of the one before.
CREATE TABLE backlog_parts (
  team_id TEXT NOT NULL,
  part TEXT NOT NULL,
  -- A courier's part is negative: it takes away what the parts of networks have counted.
  bytes BIGINT NOT NULL,
  -- 1 while the backlog goes down after webhooks were unpaused above the limit.
  draining BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (team_id, part)
);

INSERT INTO backlog_parts (team_id, part, bytes, draining)
SELECT team_id, 'rest', bytes, draining FROM team_backlogs;

DROP TABLE team_backlogs;

ALTER TABLE backlog_parts RENAME TO team_backlogs;

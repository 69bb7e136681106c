-- What each team has committed and not got rid of: adding it all up would take too long.
CREATE TABLE team_backlogs (
  team_id TEXT PRIMARY KEY,
  -- Of the data deliveries that wait or have failed: their results, and their places in the log.
  bytes BIGINT NOT NULL,
  -- 1 while it goes down after webhooks were unpaused above the limit.
  draining BIGINT NOT NULL DEFAULT 0
);

-- Nobody can resend these, and whoever deleted the webhook could not get rid of them.
UPDATE deliveries SET state = 'cancelled', done_at_ms = COALESCE(done_at_ms, due_at_ms)
WHERE state = 'failed' AND webhook_id IN (SELECT id FROM webhooks WHERE state = 'deleted');

-- What stands open on sheets gets rows at the start, and is not counted until it is sent anew.
INSERT INTO team_backlogs (team_id, bytes)
SELECT team_id, CAST(SUM(data_bytes + 1024) AS BIGINT) FROM deliveries
WHERE state IN ('waiting', 'failed') AND kind = 'data' GROUP BY team_id;

-- Replays are worked on team by team.
CREATE INDEX replays_running_by_team ON replays (team_id, created_at_ms)
  WHERE state = 'running';

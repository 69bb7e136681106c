-- One row. What was delivered of the events up to `event` stands in done_deliveries. What was
-- delivered of newer ones does not yet: it is found among the deliveries themselves, and is listed
-- many at a time, webhook by webhook. One by one, each would write a page of its webhook's. Without
-- the row everything is listed when it is delivered.
CREATE TABLE listing (
  id BIGINT PRIMARY KEY,
  event BIGINT NOT NULL,
  -- The event up to which is listed next.
  next_event BIGINT NOT NULL,
  -- Deliveries that were created after that one's.
  created BIGINT NOT NULL,
  -- With so many of them the next are listed: most are delivered by then. A page of the log reads
  -- up to twice as many that are not listed.
  created_max BIGINT NOT NULL
);

INSERT INTO listing (id, event, next_event, created, created_max)
SELECT 1, COALESCE(MAX(event), 0), COALESCE(MAX(event), 0), 0, 8192 FROM events;

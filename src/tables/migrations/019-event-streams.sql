-- Event streams read what changed from the deliveries themselves.
DROP TABLE delivery_changes;

DROP TABLE listeners;

ALTER TABLE couriers DROP COLUMN listened_until_ms;

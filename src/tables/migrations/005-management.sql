-- The key that the next rotation switches to, once it was asked for in advance.
ALTER TABLE webhooks ADD COLUMN next_key_sealed TEXT;

-- The kinds of the variables that the query declares, by name.
ALTER TABLE webhooks ADD COLUMN variables TEXT NOT NULL DEFAULT '{}';

-- Removed items whose rows are still kept, which take as much room as the others.
ALTER TABLE variables ADD COLUMN removed_count BIGINT NOT NULL DEFAULT 0;

-- 1 where the block of the result was proven by its hash.
ALTER TABLE results ADD COLUMN verified BIGINT NOT NULL DEFAULT 0;

ALTER TABLE team_backlogs ADD COLUMN part TEXT COLLATE "C" NOT NULL DEFAULT 'rest';

ALTER TABLE team_backlogs DROP CONSTRAINT team_backlogs_pkey;

ALTER TABLE team_backlogs ADD PRIMARY KEY (team_id, part);

import { EARLY_MIGRATIONS, type Migration } from './early-migrations.ts'
import listing from './migrations/008-listing.sql' with { type: 'text' }
import backlogParts from './migrations/009-backlog-parts.sql' with { type: 'text' }
import followers from './migrations/010-followers.sql' with { type: 'text' }
import sessions from './migrations/011-sessions.sql' with { type: 'text' }
import callStats from './migrations/012-call-stats.sql' with { type: 'text' }
import live from './migrations/013-live.sql' with { type: 'text' }
import access from './migrations/014-access.sql' with { type: 'text' }
import upstreamSpend from './migrations/015-upstream-spend.sql' with { type: 'text' }
import verified from './migrations/016-verified.sql' with { type: 'text' }
import sentTransactions from './migrations/017-sent-transactions.sql' with { type: 'text' }
import noSentTransactions from './migrations/018-no-sent-transactions.sql' with { type: 'text' }
import eventStreams from './migrations/019-event-streams.sql' with { type: 'text' }

/** In order, and never changed once released: an installation may stand at any of them. */
export const MIGRATIONS: readonly Migration[] = [
  ...EARLY_MIGRATIONS,
  { version: 8, name: 'listing', script: listing },
  { version: 9, name: 'backlog parts', script: backlogParts },
  { version: 10, name: 'followers', script: followers },
  { version: 11, name: 'sessions', script: sessions },
  { version: 12, name: 'call stats', script: callStats },
  { version: 13, name: 'live', script: live },
  { version: 14, name: 'access', script: access },
  { version: 15, name: 'upstream spend', script: upstreamSpend },
  { version: 16, name: 'verified', script: verified },
  { version: 17, name: 'sent transactions', script: sentTransactions },
  { version: 18, name: 'no sent transactions', script: noSentTransactions },
  { version: 19, name: 'event streams', script: eventStreams },
]

import tables from './008-tables.sql' with { type: 'text' }
import backlogParts from './009-backlog-parts.sql' with { type: 'text' }
import followers from './010-followers.sql' with { type: 'text' }
import sessions from './011-sessions.sql' with { type: 'text' }
import callStats from './012-call-stats.sql' with { type: 'text' }
import live from './013-live.sql' with { type: 'text' }
import access from './014-access.sql' with { type: 'text' }
import upstreamSpend from './015-upstream-spend.sql' with { type: 'text' }
import verified from './016-verified.sql' with { type: 'text' }
import sentTransactions from './017-sent-transactions.sql' with { type: 'text' }
import noSentTransactions from './018-no-sent-transactions.sql' with { type: 'text' }
import eventStreams from './019-event-streams.sql' with { type: 'text' }

/** In order, and never changed once released. There was no PostgreSQL before the first of them. */
export const POSTGRES_MIGRATIONS = [
  { version: 8, name: 'tables', script: tables },
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
] as const

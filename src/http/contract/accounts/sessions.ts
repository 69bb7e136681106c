import { choice, flag, list, nullable, record, text } from '../../../core/schema/schema.ts'
import { line, NAME, TIME_MS } from '../fields.ts'
import {
  body,
  data,
  header,
  ID,
  nothing,
  path,
  publicCall,
  query,
  sessionCall,
  tokenCall,
  under,
} from '../operation.ts'

/** Far longer than a token or the secret of a link is. */
const SECRET_LENGTH_MAX = 200

const SESSION_ID = path('The session’s id.', ID, 'ses_2w4e6r8t0y1u3i5o')

/** Without a team that is named, the operator sees its own. */
const WHOSE = {
  'X-Team-Id': header(
    'With the operator’s token: sessions of this team, not the operator’s own.',
    ID,
  ),
  team_id: query('The same as the header `X-Team-Id`, for where a header cannot be set.', ID),
}

const SECRET = { minLength: 1, maxLength: SECRET_LENGTH_MAX }

const NEW_SESSION = record(
  'NewSession',
  {},
  {
    token: line({ ...SECRET, description: 'A team’s token, or the operator’s.' }),
    link: line({
      ...SECRET,
      description:
        'The part behind `#` of the link that is printed at a start in local development.',
    }),
  },
)

const SESSION_TOKEN = nullable(
  record('SessionToken', { id: text({ pattern: '^tok_[a-z0-9]{16}$' }), name: text() }),
)

const SESSION_TEAM = record('SessionTeam', {
  id: text({ pattern: '^team_[a-z0-9]{16}$' }),
  name: NAME,
  tier: text('The name of its tier.'),
})

export const SESSION = record('Session', {
  id: text({ pattern: '^ses_[a-z0-9]{16}$' }),
  kind: choice(['team', 'operator'], 'Whose token it was signed in with.'),
  team: nullable(SESSION_TEAM),
  token: SESSION_TOKEN,
  local_development: flag('The instance runs without a configuration file.'),
  version: text('The version of Headgate.'),
  public_url: text('Where this instance is reached from outside.'),
  time_created: TIME_MS,
  time_expires: TIME_MS,
})

export const LISTED_SESSION = record('ListedSession', {
  id: text({ pattern: '^ses_[a-z0-9]{16}$' }),
  token: SESSION_TOKEN,
  address: text('The address that it was signed in from.'),
  user_agent: text('How the browser that signed in named itself, up to 200 characters.'),
  time_created: TIME_MS,
  time_last_used: TIME_MS,
  time_expires: TIME_MS,
  is_current: flag('This very call was made with it.'),
})

const SESSION_EXAMPLE = {
  id: 'ses_2w4e6r8t0y1u3i5o',
  kind: 'team',
  team: { id: 'team_7h3j5k9l2z4x6c8v', name: 'Payments', tier: 'growth' },
  token: { id: 'tok_9q8w7e6r5t4y3u2i', name: 'first' },
  local_development: false,
  version: '0.1.0',
  public_url: 'https://gate.example',
  time_created: 1763164800000,
  time_expires: 1763769600000,
} as const

export const SESSION_CALLS = under('Sessions', {
  signIn: publicCall('POST /api/session', {
    summary: 'Sign in',
    description:
      'Takes a token, or the secret of the link that local development prints, and sets the ' +
      'cookie `headgate_session`, which stands for the token in every call that carries none in ' +
      'a header. It lasts 30 days, or 7 days without a call. A token has at most 50 sessions: ' +
      'the oldest end. The link works from the machine itself only.',
    body: body(NEW_SESSION, { token: 'z1x2c3v4b5n6m7q8w9e0r1t2y3u4i5o6' }),
    answer: {
      ...data('The session.', SESSION, SESSION_EXAMPLE),
      headers: { 'Set-Cookie': text('The cookie, `HttpOnly` and `SameSite=Strict`.') },
    },
    errors: {
      '400': '`ValidationError`: a field is wrong, or not exactly one of the two is there.',
      '401': '`Unauthorized`: the token is unknown or was revoked, or the link is an old one.',
      '403': '`Forbidden`: a page of another origin asks, or the link is used from elsewhere.',
      '413': '`PayloadTooLarge`: the body is over 4096 bytes, or does not say its length.',
      '429': '`TooManyRequests`: too many attempts from this address, or with this token.',
    },
    example: `curl -c cookies.txt "$HEADGATE_URL/api/session" \\
  -H 'content-type: application/json' \\
  -d "{\\"token\\":\\"$HEADGATE_TOKEN\\"}"`,
  }),

  getSession: sessionCall('GET /api/session', {
    summary: 'Read your session',
    description:
      'Who is signed in, and where. `team` is null for the operator, `token` where the session ' +
      'was signed in by a link.',
    answer: data('The session.', SESSION, SESSION_EXAMPLE),
  }),

  signOut: sessionCall('DELETE /api/session', {
    summary: 'Sign out',
    description: 'Ends the session in every process and clears the cookie.',
    answer: nothing('Signed out.'),
  }),

  listSessions: tokenCall('GET /api/sessions', {
    summary: 'List sessions',
    description:
      'Sessions of the team, the one used last first, up to 1000. The operator sees its own, or ' +
      'those of the team that it names. `time_last_used` is exact to a minute.',
    parameters: WHOSE,
    answer: data('The sessions.', list(LISTED_SESSION), [
      {
        id: 'ses_2w4e6r8t0y1u3i5o',
        token: { id: 'tok_9q8w7e6r5t4y3u2i', name: 'first' },
        address: '192.0.2.7',
        user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
        time_created: 1763164800000,
        time_last_used: 1763164860000,
        time_expires: 1763769660000,
        is_current: true,
      },
    ]),
    errors: { '404': '`NotFound`: there is no team of this id.' },
  }),

  deleteSession: tokenCall('DELETE /api/sessions/{id}', {
    summary: 'End a session',
    description: 'Ends one of those that `GET /api/sessions` lists, in every process at once.',
    parameters: { id: SESSION_ID, ...WHOSE },
    answer: nothing('Ended.'),
    errors: { '404': '`NotFound`: there is no session of this id, or no team.' },
  }),
})

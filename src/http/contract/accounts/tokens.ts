import { list, record, text } from '../../../core/schema/schema.ts'
import { NAME, TIME_MS } from '../fields.ts'
import {
  body,
  data,
  ID,
  nothing,
  operatorCall,
  optionalBody,
  path,
  teamCall,
} from '../operation.ts'

const TEAM_ID = path('The team’s id.', ID, 'team_7h3j5k9l2z4x6c8v')

const TOKEN_ID = path('The token’s id, not the token.', ID, 'tok_9q8w7e6r5t4y3u2i')

const TOKEN = record('Token', {
  id: text({ pattern: '^tok_[a-z0-9]{16}$' }),
  name: text(),
  time_created: TIME_MS,
})

const NEW_TOKEN = record('NewToken', {}, { name: NAME })

const NEW_TEAM_TOKEN = record('NewTeamToken', { name: NAME })

const TOKEN_CREATED = record('TokenCreated', {
  id: text({ pattern: '^tok_[a-z0-9]{16}$' }),
  token: text('The token, 32 characters. It is shown only now.'),
})

const TOKEN_EXAMPLE = {
  id: 'tok_9q8w7e6r5t4y3u2i',
  name: 'first',
  time_created: 1763164800000,
}

const CREATED_EXAMPLE = {
  id: 'tok_9q8w7e6r5t4y3u2i',
  token: 'z1x2c3v4b5n6m7q8w9e0r1t2y3u4i5o6',
}

const LISTED = 'Ids and names, so that one can be revoked. The tokens themselves are not kept.'

const NO_SUCH_TEAM = { '404': '`NotFound`: there is no team of this id.' }

const TOO_MANY = '`ValidationError`: a field is wrong, or the team has all the tokens it may have.'

export const TOKEN_CALLS = {
  listTeamTokens: teamCall('GET /api/team/tokens', {
    summary: 'List the team’s tokens',
    description: LISTED,
    answer: data('The tokens, oldest first.', list(TOKEN), [TOKEN_EXAMPLE]),
  }),

  createTeamToken: teamCall('POST /api/team/tokens', {
    summary: 'Give the team another token',
    description:
      'The token may do what yours may. It is shown here and never again; only its SHA-256 is ' +
      'kept. A team may have 200.',
    body: body(NEW_TEAM_TOKEN, { name: 'ci' }),
    answer: data('The token and its id.', TOKEN_CREATED, CREATED_EXAMPLE),
    errors: { '400': TOO_MANY },
  }),

  deleteTeamToken: teamCall('DELETE /api/team/tokens/{id}', {
    summary: 'Revoke one of the team’s tokens',
    description:
      'The token is refused from the next call on, in every process, and the sessions that were ' +
      'signed in with it end. A call cannot revoke the token that it uses, itself or by its ' +
      'session.',
    parameters: { id: TOKEN_ID },
    answer: nothing('Revoked.'),
    errors: { '404': '`NotFound`: the team has no token of this id.' },
  }),

  listTokens: operatorCall('GET /api/teams/{id}/tokens', {
    summary: 'List a team’s tokens',
    description: LISTED,
    parameters: { id: TEAM_ID },
    answer: data('The tokens.', list(TOKEN), [TOKEN_EXAMPLE]),
    errors: NO_SUCH_TEAM,
  }),

  createToken: operatorCall('POST /api/teams/{id}/tokens', {
    summary: 'Give a team another token',
    description: 'The token is shown here and never again; only its SHA-256 is kept.',
    parameters: { id: TEAM_ID },
    body: optionalBody(NEW_TOKEN, { name: 'ci' }),
    answer: data('The token and its id.', TOKEN_CREATED, CREATED_EXAMPLE),
    errors: { ...NO_SUCH_TEAM, '400': TOO_MANY },
  }),

  deleteToken: operatorCall('DELETE /api/tokens/{id}', {
    summary: 'Revoke a token',
    description:
      'The token is refused from the next call on, and the sessions that were signed in with it ' +
      'end. A call cannot revoke its own token.',
    parameters: { id: TOKEN_ID },
    answer: nothing('Revoked.'),
    errors: { '404': '`NotFound`: there is no token of this id.' },
  }),
}

import {
  dataOf,
  ID_SCHEMA,
  jsonAnswer,
  operation,
  type Parameter,
  type Paths,
  ref,
} from '../openapi.ts'

const ID: Omit<Parameter, 'description'> = {
  name: 'id',
  in: 'path',
  required: true,
  schema: ID_SCHEMA,
}

const TEAM_ID: Parameter = {
  ...ID,
  description: 'The team’s id.',
  example: 'team_7h3j5k9l2z4x6c8v',
}

const TOKEN_ID: Parameter = {
  ...ID,
  description: 'The token’s id, not the token.',
  example: 'tok_9q8w7e6r5t4y3u2i',
}

const NO_SUCH_TEAM = { '404': '`NotFound`: there is no team of this id.' }

/** What only the operator of the instance may do. */
export const OPERATOR_PATHS: Paths = {
  '/api/teams': {
    get: operation({
      id: 'listTeams',
      tag: 'Operator',
      audience: 'operator',
      summary: 'List all teams',
      description: 'Every team of this instance, oldest first.',
      answer: jsonAnswer('The teams.', dataOf({ type: 'array', items: ref('Team') })),
      example: 'curl "$HEADGATE_URL/api/teams" -H "X-Service-Token: $HEADGATE_OPERATOR_TOKEN"',
    }),
    post: operation({
      id: 'createTeam',
      tag: 'Operator',
      audience: 'operator',
      summary: 'Create a team',
      description: 'Makes a team with its first token. The token is shown here and never again.',
      body: { schema: ref('NewTeam'), example: { name: 'Payments', tier: 'growth' } },
      answer: jsonAnswer('The team’s id and token.', dataOf(ref('TeamCreated')), {
        data: {
          id: 'team_7h3j5k9l2z4x6c8v',
          token: 'z1x2c3v4b5n6m7q8w9e0r1t2y3u4i5o6',
          token_id: 'tok_9q8w7e6r5t4y3u2i',
        },
      }),
      example: `curl "$HEADGATE_URL/api/teams" \\
  -H "X-Service-Token: $HEADGATE_OPERATOR_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"name":"Payments","tier":"growth"}'`,
    }),
  },

  '/api/teams/{id}/tokens': {
    get: operation({
      id: 'listTokens',
      tag: 'Operator',
      audience: 'operator',
      summary: 'List a team’s tokens',
      description: 'Ids and names, so that one can be revoked. The tokens themselves are not kept.',
      parameters: [TEAM_ID],
      answer: jsonAnswer('The tokens.', dataOf({ type: 'array', items: ref('Token') }), {
        data: [{ id: 'tok_9q8w7e6r5t4y3u2i', name: 'first', time_created: 1763164800000 }],
      }),
      errors: NO_SUCH_TEAM,
      example: `curl "$HEADGATE_URL/api/teams/team_7h3j5k9l2z4x6c8v/tokens" \\
  -H "X-Service-Token: $HEADGATE_OPERATOR_TOKEN"`,
    }),
    post: operation({
      id: 'createToken',
      tag: 'Operator',
      audience: 'operator',
      summary: 'Give a team another token',
      description: 'The token is shown here and never again; only its SHA-256 is kept.',
      parameters: [TEAM_ID],
      body: { schema: ref('NewToken'), example: { name: 'ci' } },
      bodyOptional: true,
      answer: jsonAnswer('The token and its id.', dataOf(ref('TokenCreated')), {
        data: { id: 'tok_9q8w7e6r5t4y3u2i', token: 'z1x2c3v4b5n6m7q8w9e0r1t2y3u4i5o6' },
      }),
      errors: NO_SUCH_TEAM,
      example: `curl "$HEADGATE_URL/api/teams/team_7h3j5k9l2z4x6c8v/tokens" \\
  -H "X-Service-Token: $HEADGATE_OPERATOR_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"name":"ci"}'`,
    }),
  },

  '/api/tokens/{id}': {
    delete: operation({
      id: 'deleteToken',
      tag: 'Operator',
      audience: 'operator',
      summary: 'Revoke a token',
      description:
        'The token is refused from the next call on. A call cannot revoke its own token.',
      parameters: [TOKEN_ID],
      answer: jsonAnswer('Revoked.', { type: 'object', additionalProperties: false }, {}),
      errors: { '404': '`NotFound`: there is no token of this id.' },
      example: `curl -X DELETE "$HEADGATE_URL/api/tokens/tok_9q8w7e6r5t4y3u2i" \\
  -H "X-Service-Token: $HEADGATE_OPERATOR_TOKEN"`,
    }),
  },
}

import {
  count,
  described,
  flag,
  integer,
  list,
  nullable,
  record,
  text,
} from '../../../core/schema/schema.ts'
import * as conditional from '../conditional.ts'
import { AUTOSCALING, NAME, TIME_MS } from '../fields.ts'
import { body, data, ID, operatorCall, path, teamCall, tokenCall, under } from '../operation.ts'
import { TOKEN_CALLS } from './tokens.ts'

const TIER = described(ID, 'The name of a configured tier, for example `free`.')

export const TIER_LIMITS = record('TierLimits', {
  monthly_cu: nullable(integer('Compute units a calendar month (UTC); null is unlimited.')),
  cu_per_second: nullable(integer('Compute units a second; null is unlimited.')),
  paid: flag('Paid tiers may call the methods reserved for them.'),
  webhooks: count('GraphQL webhooks a team may have.'),
  variable_items: count('Items over all variables of a team.'),
  undelivered_bytes: count(
    'Bytes of results that no destination has accepted yet, over all webhooks.',
  ),
})

export const TEAM = record('Team', {
  id: text({ pattern: '^team_[a-z0-9]{16}$' }),
  name: NAME,
  tier: TIER,
  autoscaling: AUTOSCALING,
  limits: described(
    nullable(TIER_LIMITS),
    'What the tier allows; null when it is not configured any more.',
  ),
  time_created: TIME_MS,
})

const OFFERED_TIER = record('OfferedTier', { name: TIER, limits: TIER_LIMITS })

const TEAM_CHANGE = record('TeamChange', {}, { autoscaling: AUTOSCALING, tier: TIER })

const NEW_TEAM = record('NewTeam', { name: NAME, tier: TIER })

const TEAM_CREATED = record('TeamCreated', {
  id: text({ pattern: '^team_[a-z0-9]{16}$', description: 'The team’s id.' }),
  token: nullable(
    text(
      'The team’s first token. It is shown only now: null where `by_name` found a team that is ' +
        'there already. `POST /api/teams/{id}/tokens` gives another.',
    ),
  ),
  token_id: nullable(text('What `DELETE /api/tokens/{id}` takes; null with the token.')),
})

const TEAM_EXAMPLE = {
  id: 'team_7h3j5k9l2z4x6c8v',
  name: 'Payments',
  tier: 'growth',
  autoscaling: false,
  limits: {
    monthly_cu: 300000000,
    cu_per_second: 10000,
    paid: true,
    webhooks: 100,
    variable_items: 10000000,
    undelivered_bytes: 1073741824,
  },
  time_created: 1763164800000,
}

export const TEAM_CALLS = under('Team', {
  getTeam: teamCall('GET /api/team', {
    summary: 'Read the team',
    description: 'The team the token belongs to, with the limits of its tier.',
    parameters: conditional.IF_NONE_MATCH,
    answer: conditional.tagged(data('The team.', TEAM, TEAM_EXAMPLE)),
  }),

  changeTeam: teamCall('PATCH /api/team', {
    summary: 'Change the team',
    description:
      'Turns autoscaling on or off. The tier can be changed with the operator’s token only, ' +
      'which names the team with `X-Team-Id`.',
    parameters: conditional.IF_MATCH,
    body: body(TEAM_CHANGE, { autoscaling: true }),
    answer: conditional.tagged(
      data('The team as it is now.', TEAM, { ...TEAM_EXAMPLE, autoscaling: true }),
    ),
    errors: {
      '403': '`Forbidden`: the tier takes the operator’s token.',
      ...conditional.CHANGED_SINCE,
    },
  }),

  listTiers: tokenCall('GET /api/tiers', {
    summary: 'List the tiers',
    description:
      'The tiers that are configured here, with what each allows, as the configuration has them.',
    answer: data('The tiers.', list(OFFERED_TIER), [
      { name: TEAM_EXAMPLE.tier, limits: TEAM_EXAMPLE.limits },
    ]),
  }),

  listTeams: operatorCall('GET /api/teams', {
    summary: 'List all teams',
    description: 'Every team of this instance, oldest first.',
    answer: data('The teams.', list(TEAM)),
  }),

  createTeam: operatorCall('POST /api/teams', {
    summary: 'Create a team',
    description: 'Makes a team with its first token. The token is shown here and never again.',
    parameters: conditional.BY_NAME,
    body: body(NEW_TEAM, { name: 'Payments', tier: 'growth' }),
    answer: data('The team’s id and token.', TEAM_CREATED, {
      id: 'team_7h3j5k9l2z4x6c8v',
      token: 'z1x2c3v4b5n6m7q8w9e0r1t2y3u4i5o6',
      token_id: 'tok_9q8w7e6r5t4y3u2i',
    }),
    errors: conditional.CONFLICT,
  }),

  getTeamById: operatorCall('GET /api/teams/{id}', {
    summary: 'Read a team',
    description: 'One team, with the limits of its tier; `PATCH /api/team` changes it.',
    parameters: {
      id: path('The team’s id.', ID, 'team_7h3j5k9l2z4x6c8v'),
      ...conditional.IF_NONE_MATCH,
    },
    answer: conditional.tagged(data('The team.', TEAM, TEAM_EXAMPLE)),
    errors: { '404': '`NotFound`: there is no team of this id.' },
  }),

  ...TOKEN_CALLS,
})

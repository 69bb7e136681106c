import {
  choice,
  count,
  described,
  list,
  object,
  preset,
  record,
  text,
} from '../../core/schema/schema.ts'
import { body, json, nothing, path, query, teamCall, under } from './operation.ts'

/** One call's share; longer lists come in several. */
const CALL_ITEMS_MAX = 10_000

const ITEMS = list(
  text({
    pattern: '^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$',
    'x-form': 'an address or a value of 32 bytes: 0x and 40 or 64 hex digits',
  }),
  {
    minItems: 1,
    maxItems: CALL_ITEMS_MAX,
    description:
      '1 to 10,000 addresses, or as many values of 32 bytes; not both. What is given twice ' +
      'counts once.',
  },
)

const NEW_VARIABLE_ITEMS = record('NewVariableItems', { items: ITEMS })

const VARIABLE_CHANGE = record('VariableChange', {}, { add: ITEMS, delete: ITEMS })

const VARIABLE_PAGE = record('VariablePage', {
  data: list(text(), 'Items in lower case, in ascending order.'),
  pagination: record('VariablePagination', {
    cursors: described(
      object({}, { after: text() }),
      '`after` is what asks for the next page; on the last one it is absent.',
    ),
    total_count: count('Of all items of the variable.'),
  }),
})

const VARIABLE = record('Variable', {
  name: text('As queries write it after `$`.'),
  kind: choice(['Address', 'Bytes32'], 'What its items are, and what queries declare it as.'),
  items: count('How many items it has.'),
  webhook_ids: list(
    text({ pattern: '^wh_[a-z0-9]{16}$' }),
    'The webhooks whose queries name it, in the order of their ids.',
  ),
})

const VARIABLE_LIST = record('VariableList', {
  data: list(VARIABLE, 'By name, in ascending order; at most 1,000.'),
  items: count('Of all variables together.'),
  items_max: count('How many all may have together, by the tier.'),
})

const NAME = path(
  'The variable’s name, as queries write it after `$`.',
  // Longer names are not GraphQL variables of ours either.
  text({
    pattern: '^[_A-Za-z][_0-9A-Za-z]{0,63}$',
    'x-form': 'a GraphQL name of up to 64 letters, digits and underscores, no digit first',
  }),
  'wallets',
)

const NO_SUCH_VARIABLE = { '404': '`NotFound`: the team has no variable of this name.' }

const WRONG_ITEMS =
  '`ValidationError`: an item is no address and no value of 32 bytes, or is of another kind than ' +
  'the rest; the message names its position. Or there would be more than 10,000,000 items, or ' +
  'more than 1,000 variables.'

const LIVE = 'It acts from the next block on, in every query of the team that names it.'

export const VARIABLE_CALLS = under('Variables', {
  listVariables: teamCall('GET /api/graphql/variables', {
    summary: 'List the team’s variables',
    description: 'All variables of the team, with how many items they have and who uses them.',
    answer: json('The variables.', VARIABLE_LIST, {
      data: [
        { name: 'wallets', kind: 'Address', items: 412, webhook_ids: ['wh_9c5v2b8n4m1k7j3h'] },
      ],
      items: 412,
      items_max: 1000000,
    }),
  }),

  listVariableItems: teamCall('GET /api/graphql/variables/{name}', {
    alchemy: true,
    summary: 'List a variable’s items',
    description: 'A page of the items, in ascending order.',
    parameters: {
      name: NAME,
      limit: query('Items of one page.', preset(count({ minimum: 1, maximum: 10_000 }), 100)),
      after: query(
        'Where the page begins: `pagination.cursors.after` of the one before.',
        text({
          pattern: '^0x[0-9a-fA-F]{1,64}$',
          'x-form': 'what pagination.cursors.after of the page before says',
        }),
      ),
    },
    answer: json('The page.', VARIABLE_PAGE, {
      data: ['0xdac17f958d2ee523a2206206994597c13d831ec7'],
      pagination: { cursors: {}, total_count: 1 },
    }),
    errors: NO_SUCH_VARIABLE,
    exampleQuery: '?limit=1000',
  }),

  addVariableItems: teamCall('POST /api/graphql/variables/{name}', {
    alchemy: true,
    summary: 'Create a variable, or add to one',
    description: `The first items of a name make the variable; more are added to it. ${LIVE}`,
    parameters: { name: NAME },
    body: body(NEW_VARIABLE_ITEMS, { items: ['0xdAC17F958D2ee523a2206206994597C13D831ec7'] }),
    answer: nothing('Added.'),
    answerStatus: 201,
    grows: 'always',
    errors: { '400': WRONG_ITEMS },
  }),

  changeVariableItems: teamCall('PATCH /api/graphql/variables/{name}', {
    alchemy: true,
    summary: 'Add to a variable, or take away from it',
    description: `Takes \`add\` or \`delete\`, one of the two. ${LIVE}`,
    parameters: { name: NAME },
    body: body(VARIABLE_CHANGE, { delete: ['0xdac17f958d2ee523a2206206994597c13d831ec7'] }),
    answer: nothing('Changed.'),
    grows: { with: 'add' },
    errors: { ...NO_SUCH_VARIABLE, '400': WRONG_ITEMS },
  }),

  deleteVariable: teamCall('DELETE /api/graphql/variables/{name}', {
    alchemy: true,
    summary: 'Delete a variable',
    description:
      'The variable is gone with all its items. A query that names it matches nothing there, ' +
      'until there is one of this name again.',
    parameters: { name: NAME },
    answer: nothing('Deleted.'),
    errors: NO_SUCH_VARIABLE,
  }),
})

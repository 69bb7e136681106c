import { VARIABLE_NAME } from '../contract-webhook-schemas.ts'
import { jsonAnswer, operation, type Parameter, type Paths, ref, type Schema } from '../openapi.ts'

const NAME: Parameter = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'The variable’s name, as queries write it after `$`.',
  schema: VARIABLE_NAME,
  example: 'wallets',
}

const NOTHING: Schema = { type: 'object', additionalProperties: false }

const NO_SUCH_VARIABLE = { '404': '`NotFound`: the team has no variable of this name.' }

const WRONG_ITEMS =
  '`ValidationError`: an item is no address and no value of 32 bytes, or is of another kind than ' +
  'the rest; the message names its position. Or there would be more than 10,000,000 items, or ' +
  'more than 1,000 variables.'

const LIVE = 'It acts from the next block on, in every query of the team that names it.'

/** Variables: lists of a team that its queries name. */
export const VARIABLE_PATHS: Paths = {
  '/api/graphql/variables/{name}': {
    get: operation({
      id: 'listVariableItems',
      tag: 'Variables',
      audience: 'team',
      summary: 'List a variable’s items',
      description: 'A page of the items, in ascending order.',
      parameters: [
        NAME,
        {
          name: 'limit',
          in: 'query',
          required: false,
          description: 'Items of one page.',
          schema: { type: 'integer', minimum: 1, maximum: 10_000, default: 100 },
        },
        {
          name: 'after',
          in: 'query',
          required: false,
          description: 'Where the page begins: `pagination.cursors.after` of the one before.',
          schema: {
            type: 'string',
            pattern: '^0x[0-9a-fA-F]{1,64}$',
            'x-form': 'what pagination.cursors.after of the page before says',
          },
        },
      ],
      answer: jsonAnswer('The page.', ref('VariablePage'), {
        data: ['0xdac17f958d2ee523a2206206994597c13d831ec7'],
        pagination: { cursors: {}, total_count: 1 },
      }),
      errors: NO_SUCH_VARIABLE,
      example: `curl "$HEADGATE_URL/api/graphql/variables/wallets?limit=1000" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
    post: operation({
      id: 'addVariableItems',
      grows: 'always',
      tag: 'Variables',
      audience: 'team',
      summary: 'Create a variable, or add to one',
      description: `The first items of a name make the variable; more are added to it. ${LIVE}`,
      parameters: [NAME],
      body: {
        schema: ref('NewVariableItems'),
        example: { items: ['0xdAC17F958D2ee523a2206206994597C13D831ec7'] },
      },
      answer: jsonAnswer('Added.', NOTHING, {}),
      answerStatus: 201,
      errors: { '400': WRONG_ITEMS },
      example: `curl "$HEADGATE_URL/api/graphql/variables/wallets" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"items":["0xdAC17F958D2ee523a2206206994597C13D831ec7"]}'`,
    }),
    patch: operation({
      id: 'changeVariableItems',
      grows: { with: 'add' },
      tag: 'Variables',
      audience: 'team',
      summary: 'Add to a variable, or take away from it',
      description: `Takes \`add\` or \`delete\`, one of the two. ${LIVE}`,
      parameters: [NAME],
      body: {
        schema: ref('VariableChange'),
        example: { delete: ['0xdac17f958d2ee523a2206206994597c13d831ec7'] },
      },
      answer: jsonAnswer('Changed.', NOTHING, {}),
      errors: { ...NO_SUCH_VARIABLE, '400': WRONG_ITEMS },
      example: `curl -X PATCH "$HEADGATE_URL/api/graphql/variables/wallets" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"delete":["0xdac17f958d2ee523a2206206994597c13d831ec7"]}'`,
    }),
    delete: operation({
      id: 'deleteVariable',
      tag: 'Variables',
      audience: 'team',
      summary: 'Delete a variable',
      description:
        'The variable is gone with all its items. A query that names it matches nothing there, ' +
        'until there is one of this name again.',
      parameters: [NAME],
      answer: jsonAnswer('Deleted.', NOTHING, {}),
      errors: NO_SUCH_VARIABLE,
      example: `curl -X DELETE "$HEADGATE_URL/api/graphql/variables/wallets" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },
}

import {
  dataOf,
  ID_SCHEMA,
  jsonAnswer,
  operation,
  type Parameter,
  type Paths,
  ref,
} from '../openapi.ts'

const APP_ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The app’s id.',
  schema: ID_SCHEMA,
  example: 'app_4k2m9x7q1w8e5r3t',
}

const APP_EXAMPLE = {
  id: 'app_4k2m9x7q1w8e5r3t',
  name: 'Wallet backend',
  description: 'Balances and transfers',
  networks: ['ETH_MAINNET'],
  is_active: true,
  key: 'p3v8k1z6n4c9x2m7b5l0q8w3e6r1t4y9',
  urls: {
    ETH_MAINNET: 'http://localhost:8080/eth-mainnet/v2/p3v8k1z6n4c9x2m7b5l0q8w3e6r1t4y9',
  },
  time_created: 1763164800000,
}

const NO_SUCH_APP = { '404': '`NotFound`: the team has no app of this id.' }

/** Apps: what an API key stands for. */
export const APP_PATHS: Paths = {
  '/api/apps': {
    get: operation({
      id: 'listApps',
      tag: 'Apps',
      audience: 'team',
      summary: 'List the team’s apps',
      description: 'All apps of the team, oldest first, with their keys and URLs.',
      answer: jsonAnswer('The team’s apps.', dataOf({ type: 'array', items: ref('App') }), {
        data: [APP_EXAMPLE],
      }),
      example: 'curl "$HEADGATE_URL/api/apps" -H "X-Service-Token: $HEADGATE_TOKEN"',
    }),
    post: operation({
      id: 'createApp',
      grows: 'always',
      tag: 'Apps',
      audience: 'team',
      summary: 'Create an app',
      description:
        'Makes an app with a key of its own. The key works on the given networks within a second.',
      body: {
        schema: ref('NewApp'),
        example: { name: 'Wallet backend', networks: ['ETH_MAINNET'] },
      },
      answer: jsonAnswer('The new app.', dataOf(ref('App')), { data: APP_EXAMPLE }),
      example: `curl "$HEADGATE_URL/api/apps" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"name":"Wallet backend","networks":["ETH_MAINNET"]}'`,
    }),
  },

  '/api/apps/{id}': {
    get: operation({
      id: 'getApp',
      tag: 'Apps',
      audience: 'team',
      summary: 'Read an app',
      description: 'One app with its key and its URLs.',
      parameters: [APP_ID],
      answer: jsonAnswer('The app.', dataOf(ref('App')), { data: APP_EXAMPLE }),
      errors: NO_SUCH_APP,
      example:
        'curl "$HEADGATE_URL/api/apps/app_4k2m9x7q1w8e5r3t" -H "X-Service-Token: $HEADGATE_TOKEN"',
    }),
    patch: operation({
      id: 'changeApp',
      tag: 'Apps',
      audience: 'team',
      summary: 'Change an app',
      description:
        'Changes the fields that are given and leaves the rest. `networks` replaces the whole ' +
        'list. It acts on calls within a second.',
      parameters: [APP_ID],
      body: { schema: ref('AppChange'), example: { is_active: false } },
      answer: jsonAnswer('The app as it is now.', dataOf(ref('App')), {
        data: { ...APP_EXAMPLE, is_active: false },
      }),
      errors: NO_SUCH_APP,
      example: `curl -X PATCH "$HEADGATE_URL/api/apps/app_4k2m9x7q1w8e5r3t" \\
  -H "X-Service-Token: $HEADGATE_TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"is_active":false}'`,
    }),
    delete: operation({
      id: 'deleteApp',
      tag: 'Apps',
      audience: 'team',
      summary: 'Delete an app',
      description:
        'The app is gone at once and its key stops within a second. Its usage stays on the ' +
        'team’s account.',
      parameters: [APP_ID],
      answer: jsonAnswer('Deleted.', { type: 'object', additionalProperties: false }, {}),
      errors: NO_SUCH_APP,
      example: `curl -X DELETE "$HEADGATE_URL/api/apps/app_4k2m9x7q1w8e5r3t" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },

  '/api/apps/{id}/rotate-key': {
    post: operation({
      id: 'rotateAppKey',
      tag: 'Apps',
      audience: 'team',
      summary: 'Replace an app’s key',
      description:
        'Gives the app a new key. Within a second the new key works and the old one is refused ' +
        'with 401.',
      parameters: [APP_ID],
      answer: jsonAnswer('The app with its new key.', dataOf(ref('App')), { data: APP_EXAMPLE }),
      errors: NO_SUCH_APP,
      example: `curl -X POST "$HEADGATE_URL/api/apps/app_4k2m9x7q1w8e5r3t/rotate-key" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },
}

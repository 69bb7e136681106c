import {
  anyOf,
  choice,
  constant,
  described,
  integer,
  list,
  number,
  record,
  type Schema,
  text,
} from '../../core/schema/schema.ts'
import { body, json, path, plainText, publicCall, under, undescribed } from './operation.ts'

const NETWORK = path('The network’s slug.', text(), 'eth-mainnet')

const KEY = path(
  'The app’s key, or `demo` where it is on: free tier, 50 CU a second for each address.',
  text(),
  'demo',
)

const RPC_REQUEST: Schema = {
  ...record(
    'RpcRequest',
    {
      jsonrpc: constant('2.0'),
      method: text({ minLength: 1, maxLength: 128 }),
      id: { type: ['integer', 'string'] },
    },
    { params: list({}) },
  ),
  // Further members of a call are ignored, as nodes ignore them.
  additionalProperties: true,
}

const RPC_ERROR = record('RpcError', { code: integer(), message: text() }, { data: {} })

const RPC_REPLY: Schema = record(
  'RpcReply',
  { jsonrpc: constant('2.0'), id: { type: ['integer', 'string', 'null'] } },
  { result: { description: 'Whatever the method answers.' }, error: RPC_ERROR },
)

/** The parts that both ways to call a node have in common. */
const RPC_CALL = {
  tag: 'JSON-RPC',
  body: body(oneOrMany(RPC_REQUEST), {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_gasPrice',
    params: [],
  }),
  answer: {
    ...json('The answer, or the node’s error.', oneOrMany(RPC_REPLY), {
      jsonrpc: '2.0',
      id: 1,
      result: '0x3b9aca00',
    }),
    headers: {
      'x-headgate-cu': described(number(), 'What the call cost, in compute units.'),
      'x-headgate-cache': choice(['hit', 'miss', 'coalesced'], 'Where the answer came from.'),
      'x-headgate-upstream': text('The configured name of the node that answered, or `index`.'),
      'x-request-id': text('Names this request in the log.'),
    },
  },
  errorSchema: RPC_REPLY,
  errors: {
    '400': 'Not JSON (-32700), not a JSON-RPC 2.0 request, or nested deeper than 64 (-32600).',
    '401': 'No key, an unknown one, or a JWT that is not good: -32600, `Must be authenticated!`',
    '403':
      'The app is inactive, lacks the network, or does not allow the origin, address, method or ' +
      'contract; or its tier lacks the method: -32600.',
    '404': 'No network has this slug.',
    '405': 'Anything but POST; `Allow` says what is possible.',
    '408':
      'A body over 8 KiB took longer than 15 seconds to arrive; for smaller ones the connection ' +
      'is closed.',
    '413': 'A body over 2.5 MiB, or a batch of over 1000 calls.',
    '415': 'The content type is not JSON.',
    '429': 'Compute units a second (see `Retry-After`) or the month’s capacity are used up.',
    '503': 'Every node of the network failed, or there is no room at the moment: -32603.',
    '504': 'Every node of the network timed out: -32603.',
  },
}

const RPC_DESCRIPTION =
  'One JSON-RPC 2.0 call, or an array of up to 1000 for a batch. A batch runs side by side, ' +
  'answers in the order of the request with status 200, and a bad member gets an error of its ' +
  'own. Errors of the node come back with status 200, untouched; so does the -32601 of a method ' +
  'that is not served, such as `admin_*`. Ids keep all their digits. ' +
  `\`params\` may be left out.`

/** JSON-RPC and what operators watch; the server answers these, not the management API. */
export const GATEWAY_CALLS = under('Operating', {
  callByPath: publicCall('POST /{network}/v2/{key}', {
    ...RPC_CALL,
    summary: 'Call a node, network in the path',
    description:
      `${RPC_DESCRIPTION}\n\nThe network may stand in the host name instead: ` +
      `\`http://eth-mainnet.<domain>/v2/<key>\`.`,
    parameters: { network: NETWORK, key: KEY },
    example: `curl "$HEADGATE_URL/eth-mainnet/v2/$HEADGATE_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'`,
  }),

  callByBearer: publicCall('POST /{network}/v2', {
    ...RPC_CALL,
    summary: 'Call a node, key in a header',
    description:
      'The same with the key as `Authorization: Bearer <key>`, which keeps it out of the URL; or ' +
      'with a JSON Web Token that a key of the team has signed, see `POST /api/jwt-keys`.',
    parameters: { network: NETWORK },
    example: `curl "$HEADGATE_URL/eth-mainnet/v2" \\
  -H "Authorization: Bearer $HEADGATE_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`,
  }),

  getHealth: publicCall('GET /healthz', {
    summary: 'Is it alive?',
    description: 'Answers 200 as long as the process runs.',
    answer: undescribed('Alive.'),
  }),

  getReadiness: publicCall('GET /readyz', {
    summary: 'Is it ready?',
    description:
      'Ready when the store can be reached and took the last commit, each network has a fresh ' +
      'head, and its follower is not behind it.',
    answer: undescribed('Ready for traffic.'),
    errorSchema: null,
    errors: { '503': 'Not ready; the body says what is missing.' },
  }),

  getMetrics: publicCall('GET /metrics', {
    summary: 'Metrics',
    description: 'Counters, histograms and gauges in the text format of Prometheus.',
    answer: plainText('The metrics.'),
  }),
})

function oneOrMany(schema: Schema): Schema {
  return anyOf(schema, list(schema))
}

import type { JsonSchema } from '../../core/schema/json-schema.ts'
import {
  anyOf,
  choice,
  constant,
  integer,
  list,
  number,
  record,
  type Schema,
  text,
} from '../../core/schema/schema.ts'
import type { OperationDoc, ParameterDoc, Paths } from './openapi.ts'

const NETWORK: ParameterDoc = {
  name: 'network',
  in: 'path',
  required: true,
  description: 'The network’s slug.',
  schema: text(),
  example: 'eth-mainnet',
}

const KEY: ParameterDoc = {
  name: 'key',
  in: 'path',
  required: true,
  description:
    'The app’s key, or `demo` where it is on: free tier, 50 CU a second for each address.',
  schema: text(),
  example: 'demo',
}

const RPC_REQUEST: Schema = {
  ...record(
    'RpcRequest',
    {
      jsonrpc: constant('2.0'),
      method: text({ minLength: 1, maxLength: 128 }),
      id: { type: ['integer', 'string'] },
    },
    { params: { type: 'array' } },
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

const RPC_HEADERS = {
  'x-headgate-cu': header('What the call cost, in compute units.', number()),
  'x-headgate-cache': header('Where the answer came from.', choice(['hit', 'miss', 'coalesced'])),
  'x-headgate-upstream': header('The configured name of the node that answered, or `index`.'),
  'x-request-id': header('Names this request in the log.'),
}

const RPC_ERRORS: readonly [status: string, description: string][] = [
  ['400', 'Not JSON (-32700), not a JSON-RPC 2.0 request, or nested deeper than 64 (-32600).'],
  ['401', 'No key or an unknown one: -32600, `Must be authenticated!`'],
  ['403', 'The app is inactive, lacks the network, or its tier lacks the method: -32600.'],
  ['404', 'No network has this slug.'],
  ['405', 'Anything but POST; `Allow` says what is possible.'],
  [
    '408',
    'A body over 8 KiB took longer than 15 seconds to arrive; for smaller ones the connection is closed.',
  ],
  ['413', 'A body over 2.5 MiB, or a batch of over 1000 calls.'],
  ['415', 'The content type is not JSON.'],
  ['429', 'Compute units a second (see `Retry-After`) or the month’s capacity are used up.'],
  ['503', 'Every node of the network failed, or there is no room at the moment: -32603.'],
  ['504', 'Every node of the network timed out: -32603.'],
]

const RPC_DESCRIPTION =
  'One JSON-RPC 2.0 call, or an array of up to 1000 for a batch. A batch runs side by side, ' +
  'answers in the order of the request with status 200, and a bad member gets an error of its ' +
  'own. Errors of the node come back with status 200, untouched; so does the -32601 of a method ' +
  'that is not served, such as `admin_*`. Ids keep all their digits. ' +
  `\`params\` may be left out.`

/** JSON-RPC and what operators watch; the server answers these, not the management API. */
export const GATEWAY_PATHS: Paths = {
  '/{network}/v2/{key}': {
    post: rpcOperation(
      'callByPath',
      'Call a node, network in the path',
      `${RPC_DESCRIPTION}\n\nThe network may stand in the host name instead: ` +
        `\`http://eth-mainnet.<domain>/v2/<key>\`.`,
      [NETWORK, KEY],
      `curl "$HEADGATE_URL/eth-mainnet/v2/$HEADGATE_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'`,
    ),
  },

  '/{network}/v2': {
    post: rpcOperation(
      'callByBearer',
      'Call a node, key in a header',
      'The same with the key as `Authorization: Bearer <key>`, which keeps it out of the URL.',
      [NETWORK],
      `curl "$HEADGATE_URL/eth-mainnet/v2" \\
  -H "Authorization: Bearer $HEADGATE_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`,
    ),
  },

  '/healthz': {
    get: watchOperation(
      'getHealth',
      'Is it alive?',
      'Answers 200 as long as the process runs.',
      { '200': { description: 'Alive.' } },
      'curl "$HEADGATE_URL/healthz"',
    ),
  },

  '/readyz': {
    get: watchOperation(
      'getReadiness',
      'Is it ready?',
      'Ready when the store can be reached and took the last commit, each network has a fresh ' +
        'head, and its follower is not behind it.',
      {
        '200': { description: 'Ready for traffic.' },
        '503': { description: 'Not ready; the body says what is missing.' },
      },
      'curl "$HEADGATE_URL/readyz"',
    ),
  },

  '/metrics': {
    get: watchOperation(
      'getMetrics',
      'Metrics',
      'Counters, histograms and gauges in the text format of Prometheus.',
      { '200': { description: 'The metrics.', content: { 'text/plain': { schema: text() } } } },
      'curl "$HEADGATE_URL/metrics"',
    ),
  },
}

function rpcOperation(
  operationId: string,
  summary: string,
  description: string,
  parameters: readonly ParameterDoc[],
  example: string,
): OperationDoc {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] }
  const reply = { jsonrpc: '2.0', id: 1, result: '0x3b9aca00' }
  const errors = RPC_ERRORS.map(([status, text]) => {
    return [status, { description: text, content: jsonOf(RPC_REPLY) }]
  })
  return {
    operationId,
    tags: ['JSON-RPC'],
    summary,
    description,
    security: [],
    parameters,
    requestBody: { required: true, content: jsonOf(oneOrMany(RPC_REQUEST), request) },
    responses: {
      '200': {
        description: 'The answer, or the node’s error.',
        content: jsonOf(oneOrMany(RPC_REPLY), reply),
        headers: RPC_HEADERS,
      },
      ...Object.fromEntries(errors),
    },
    'x-audience': 'public',
    'x-example': example,
  }
}

function watchOperation(
  operationId: string,
  summary: string,
  description: string,
  responses: OperationDoc['responses'],
  example: string,
): OperationDoc {
  return {
    operationId,
    tags: ['Operating'],
    summary,
    description,
    security: [],
    parameters: [],
    responses,
    'x-audience': 'public',
    'x-example': example,
  }
}

function jsonOf(schema: JsonSchema, example?: unknown) {
  return { 'application/json': example === undefined ? { schema } : { schema, example } }
}

function oneOrMany(schema: Schema): Schema {
  return anyOf(schema, list(schema))
}

function header(description: string, schema: JsonSchema = text()) {
  return { description, schema }
}

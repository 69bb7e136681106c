import { list, preset, type Schema, text } from '../core/schema/schema.ts'
import { options, whole, wholeOr } from './config-options.ts'

const LIMITS = options('What is taken in and held at once.', {
  connectionsMax: whole(
    64,
    10_000_000,
    'No new connection is accepted while the process has so many files and sockets open. ' +
      'Default: four fifths of its limit of open files.',
  ),
  bodiesBytesMax: wholeOr(
    268_435_456,
    8_388_608,
    2 ** 40,
    'Bytes of request bodies that are being received, over all connections.',
  ),
  bodyMs: wholeOr(15_000, 1000, 100_000, 'How long a request body may take to arrive.'),
  unreadBytesMax: wholeOr(
    536_870_912,
    8_388_608,
    2 ** 40,
    'Bytes of large answers that clients have not taken yet, over all connections.',
  ),
  unreadMs: wholeOr(60_000, 1000, 110_000, 'How long a client may take none of a large answer.'),
  appWebSocketsMax: wholeOr(
    200,
    1,
    1_000_000,
    'WebSocket connections that one app may have open, shared evenly by gateway workers.',
  ),
  subscriptionsMax: wholeOr(
    1000,
    1,
    100_000,
    'Subscriptions that one WebSocket connection may have.',
  ),
  diskFreeBytesMin: whole(
    0,
    2 ** 50,
    'While the disk of the data folder has less room than this, nothing is accepted that makes ' +
      'the store grow: new webhooks, apps, items of variables and replays. Default: 512 MiB, or ' +
      '1 % of the disk if that is less.',
  ),
})

const METRICS = options('Where metrics are read.', {
  listen: text({
    description:
      'An address of its own for /metrics, as host:port or [IPv6]:port, which nobody else can ' +
      'reach. Default: /metrics is served at `listen`, beside everything else.',
    maxLength: 260,
  }),
})

/** More processes than this on one machine are a mistake. */
const WORKERS_MAX = 256

const WORKERS: Schema<number | 'auto'> = {
  type: ['integer', 'string'],
  description:
    'Processes that serve JSON-RPC side by side on the one port (Linux). auto: as many as there ' +
    'are cores, less one for the rest; 1 with one or two cores, on other systems, and in local ' +
    'development.',
  pattern: '^auto$',
  'x-form': 'auto or a whole number',
  minimum: 1,
  maximum: WORKERS_MAX,
}

const GATEWAY = options('How JSON-RPC is served.', { workers: preset(WORKERS, 'auto') })

const HEADER_NAME = text({
  maxLength: 64,
  pattern: '^[A-Za-z][A-Za-z0-9-]*$',
  'x-form': 'the name of a header',
})

export const EDGE_SCHEMAS = {
  gateway: GATEWAY,
  limits: LIMITS,
  metrics: METRICS,
  tokenHeaders: preset(
    list(HEADER_NAME, {
      description: 'Further headers that may carry the token of a management call.',
      maxItems: 8,
      uniqueItems: true,
    }),
    ['X-Alchemy-Token'],
  ),
}

import type { JsonSchema } from '../core/schema/json-schema.ts'
import { section, whole } from './config-network-schema.ts'

/** Options of the HTTP edge. */
export type EdgeValues = {
  limits: LimitValues
  metrics: { listen?: string }
  tokenHeaders: string[]
}

/** What the process takes in and holds at once, whoever asks. */
type LimitValues = {
  /** Absent: by the limit of open files. */
  connectionsMax?: number
  bodiesBytesMax: number
  bodyMs: number
  unreadBytesMax: number
  unreadMs: number
  /** Absent: by the size of the disk. */
  diskFreeBytesMin?: number
}

const LIMITS: JsonSchema = section('What is taken in and held at once.', {
  connectionsMax: {
    type: 'integer',
    description:
      'No new connection is accepted while the process has so many files and sockets open. ' +
      'Default: four fifths of its limit of open files.',
    minimum: 64,
    maximum: 10_000_000,
  },
  bodiesBytesMax: whole(
    268_435_456,
    8_388_608,
    2 ** 40,
    'Bytes of request bodies that are being received, over all connections.',
  ),
  bodyMs: whole(15_000, 1000, 100_000, 'How long a request body may take to arrive.'),
  unreadBytesMax: whole(
    536_870_912,
    8_388_608,
    2 ** 40,
    'Bytes of large answers that clients have not taken yet, over all connections.',
  ),
  unreadMs: whole(60_000, 1000, 110_000, 'How long a client may take none of a large answer.'),
  diskFreeBytesMin: {
    type: 'integer',
    description:
      'While the disk of the data folder has less room than this, nothing is accepted that makes ' +
      'the store grow: new webhooks, apps, items of variables and replays. Default: 512 MiB, or ' +
      '1 % of the disk if that is less.',
    minimum: 0,
    maximum: 2 ** 50,
  },
})

const METRICS: JsonSchema = section('Where metrics are read.', {
  listen: {
    type: 'string',
    description:
      'An address of its own for /metrics, as host:port or [IPv6]:port, which nobody else can ' +
      'reach. Default: /metrics is served at `listen`, beside everything else.',
    maxLength: 260,
  },
})

const TOKEN_HEADERS: JsonSchema = {
  type: 'array',
  description: 'Further headers that may carry the token of a management call.',
  default: ['X-Alchemy-Token'],
  maxItems: 8,
  uniqueItems: true,
  items: {
    type: 'string',
    maxLength: 64,
    pattern: '^[A-Za-z][A-Za-z0-9-]*$',
    'x-form': 'the name of a header',
  },
}

export const EDGE_SCHEMAS: Record<string, JsonSchema> = {
  limits: LIMITS,
  metrics: METRICS,
  tokenHeaders: TOKEN_HEADERS,
}

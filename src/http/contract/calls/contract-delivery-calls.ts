import { DELIVERY_STATUS } from '../contract-delivery-schemas.ts'
import { WEBHOOK_ID } from '../contract-webhook-schemas.ts'
import {
  dataOf,
  ID_SCHEMA,
  jsonAnswer,
  operation,
  type Parameter,
  type Paths,
  ref,
} from '../openapi.ts'

const DELIVERY_ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The delivery’s id.',
  schema: ID_SCHEMA,
  example: 'whevt_5q8w2e7r4t1y9u3i',
}

const DELIVERY_EXAMPLE = {
  id: 'whevt_5q8w2e7r4t1y9u3i',
  webhook_id: 'wh_9c5v2b8n4m1k7j3h',
  network: 'ETH_MAINNET',
  kind: 'data',
  status: 'failed',
  sequence_number: '1000000000042',
  block_number: 23800000,
  block_hash: `0x${'5c'.repeat(32)}`,
  replay: false,
  attempts_made: 7,
  bytes: 212,
  time_created: 1763164800000,
  time_due: null,
  time_done: 1763278321000,
}

const NO_SUCH_DELIVERY = { '404': '`NotFound`: the team has no delivery of this id.' }

const optional = (name: string, description: string, schema: Parameter['schema']): Parameter => {
  return { name, in: 'query', required: false, description, schema }
}

/** The log of deliveries. */
export const DELIVERY_PATHS: Paths = {
  '/api/deliveries': {
    get: operation({
      id: 'listDeliveries',
      tag: 'Deliveries',
      audience: 'team',
      summary: 'List deliveries',
      description:
        'What was delivered, waits or failed, newest first. Accepted ones are kept for 7 days ' +
        'by default; what is not delivered stays.',
      parameters: [
        optional('webhook_id', 'Only those of this webhook.', WEBHOOK_ID),
        optional('status', 'Only those that are so.', DELIVERY_STATUS),
        optional('block', 'Only those of this height, reorganised ones included.', {
          type: 'integer',
          minimum: 0,
        }),
        optional('limit', 'Deliveries of one page.', {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          default: 100,
        }),
        optional('cursor', 'Where the page begins: `after` of the one before.', {
          type: 'string',
          pattern: '^[0-9]{1,12}-[0-9]{1,8}$',
          'x-form': 'what pagination.cursors.after of the page before says',
        }),
      ],
      answer: jsonAnswer('The page.', ref('DeliveryPage'), {
        data: [DELIVERY_EXAMPLE],
        pagination: { cursors: {} },
      }),
      example: `curl "$HEADGATE_URL/api/deliveries?status=failed" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },

  '/api/deliveries/{id}': {
    get: operation({
      id: 'getDelivery',
      tag: 'Deliveries',
      audience: 'team',
      summary: 'Read a delivery',
      description: 'One delivery with the body that is sent, and every attempt.',
      parameters: [DELIVERY_ID],
      answer: jsonAnswer('The delivery.', dataOf(ref('DeliveryDetail')), {
        data: {
          ...DELIVERY_EXAMPLE,
          body: '{"webhookId":"wh_9c5v2b8n4m1k7j3h","id":"whevt_5q8w2e7r4t1y9u3i",…}',
          attempts: [
            {
              time_started: 1763164800021,
              status_code: 503,
              fault: null,
              ms: { lookup: 1, connect: 20, answer: 31, total: 52 },
              response_start: 'Service Unavailable',
              address: '93.184.215.14',
              queue: 'new',
            },
          ],
        },
      }),
      errors: NO_SUCH_DELIVERY,
      example: `curl "$HEADGATE_URL/api/deliveries/whevt_5q8w2e7r4t1y9u3i" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },

  '/api/deliveries/{id}/resend': {
    post: operation({
      id: 'resendDelivery',
      tag: 'Deliveries',
      audience: 'team',
      summary: 'Send a delivery again',
      description:
        'Whether it was delivered or failed, it is due at once, with the same id and body, and ' +
        'its attempts start anew. It is billed again when it is accepted.',
      parameters: [DELIVERY_ID],
      answer: jsonAnswer('The delivery as it is now.', dataOf(ref('Delivery')), {
        data: {
          ...DELIVERY_EXAMPLE,
          status: 'waiting',
          attempts_made: 0,
          time_due: 1763281200000,
          time_done: null,
        },
      }),
      errors: {
        ...NO_SUCH_DELIVERY,
        '400': '`ValidationError`: it still waits to be sent, or its webhook is gone.',
      },
      example: `curl -X POST "$HEADGATE_URL/api/deliveries/whevt_5q8w2e7r4t1y9u3i/resend" \\
  -H "X-Service-Token: $HEADGATE_TOKEN"`,
    }),
  },
}

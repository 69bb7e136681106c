import { choice, count, integer, list, record, text } from '../../../core/schema/schema.ts'
import { DEVNET_NODE_BEHAVIOURS, DEVNET_NODE_LIMITS } from '../../../ports/devnet-limits.ts'
import { LOCAL_NAME } from '../fields.ts'
import { body, data, localCall, path } from '../operation.ts'
import { CHAIN_ERRORS } from './devnet.ts'

const { lagMax, stallMsMax } = DEVNET_NODE_LIMITS

const BEHAVIOUR = choice(
  [...DEVNET_NODE_BEHAVIOURS],
  'How the node answers: `honest` truly, `lag` as one that is `blocks` behind, `lie` with every ' +
    'log left out and sixteenfold balances, `fail` with 503, `hang` never.',
)

const DEVNET_UPSTREAM = record('DevnetUpstream', {
  name: text('The name of the upstream, as `GET /api/networks` has it.'),
  behaviour: BEHAVIOUR,
  blocks: count('How many blocks it lags behind; 0 unless it lags.'),
})

const CHANGE = record(
  'DevnetUpstreamChange',
  { behaviour: BEHAVIOUR },
  {
    blocks: integer({
      minimum: 1,
      maximum: lagMax,
      description: 'With `lag` only: how many blocks it is behind. Without it, 5.',
    }),
  },
)

const STALL = record('DevnetStall', {
  seconds: integer({
    minimum: 1,
    maximum: stallMsMax / 1000,
    description: 'How long no upstream answers.',
  }),
})

const EXAMPLE = [
  { name: 'devnet', behaviour: 'lag' as const, blocks: 5 },
  { name: 'devnet-2', behaviour: 'honest' as const, blocks: 0 },
]

export const DEVNET_UPSTREAM_CALLS = {
  listDevnetUpstreams: localCall('GET /api/devnet/upstreams', {
    summary: 'See the nodes of the embedded chain',
    description:
      'The upstreams of `ETH_DEVNET` with how each answers. They are nodes of one chain, made to ' +
      'be broken so that failover can be watched. Local development only.',
    answer: data('The upstreams.', list(DEVNET_UPSTREAM), EXAMPLE),
    errors: CHAIN_ERRORS,
  }),

  changeDevnetUpstream: localCall('PUT /api/devnet/upstreams/{name}', {
    summary: 'Make a node of the embedded chain lag, lie, fail or hang',
    description: 'It answers so until it is changed again, or Headgate starts anew.',
    parameters: { name: path('The name of the upstream.', LOCAL_NAME, 'devnet-2') },
    body: body(CHANGE, { behaviour: 'lag', blocks: 5 }),
    answer: data('The upstreams as they are now.', list(DEVNET_UPSTREAM), EXAMPLE),
    errors: {
      ...CHAIN_ERRORS,
      '400': '`ValidationError`: a field is wrong, or `blocks` is given with another behaviour.',
      '404': '`NotFound`: there is no such upstream, or this is no local development.',
    },
  }),

  stallDevnet: localCall('POST /api/devnet/stall', {
    summary: 'Have no node of the embedded chain answer for a while',
    description:
      'All upstreams of `ETH_DEVNET` hang for so long, whatever else they were told; blocks go ' +
      'on being mined. A new stall takes the place of the one before.',
    body: body(STALL, { seconds: 10 }),
    answer: data('The upstreams, as they answer otherwise.', list(DEVNET_UPSTREAM), EXAMPLE),
    errors: CHAIN_ERRORS,
  }),
}

import { ALLOW_ENTRIES_MAX } from '../../../core/access/read-allow-change.ts'
import { described, flag, list, mapOf, record, text } from '../../../core/schema/schema.ts'
import * as conditional from '../conditional.ts'
import { line, lines, NAME, TIME_MS } from '../fields.ts'
import { body, data, ID, nothing, path, teamCall, under } from '../operation.ts'

/** Far more than any instance has networks; it bounds the work of one request. */
const APP_NETWORKS_MAX = 200

/** Longer than any host name. */
const ENTRY_CHARS_MAX = 300

const ALLOW_ENTRY = line({ minLength: 1, maxLength: ENTRY_CHARS_MAX })

const DESCRIPTION = lines({
  maxLength: 1000,
  description: 'Up to 1000 characters of your own words; lines and tabs are fine.',
})

const NETWORKS = list(ID, {
  minItems: 1,
  maxItems: APP_NETWORKS_MAX,
  uniqueItems: true,
  description: 'Ids of configured networks, for example `ETH_MAINNET`; see `GET /api/networks`.',
})

const IS_ACTIVE = flag('An inactive app’s key is refused with 403 until it is active again.')

const ALLOW_LISTS = {
  origins: entries(
    'Origins that pages may call from: `https://app.example.com`, `https://*.example.com`, or ' +
      '`*.example.com` for any scheme and port. With any here, calls without an `Origin` header ' +
      'are refused too.',
  ),
  ips: entries(
    'Addresses and ranges in CIDR form that clients may have, such as `203.0.113.0/24`.',
  ),
  methods: entries('Methods that may be called: names, or beginnings such as `eth_get*`.'),
  contracts: entries(
    'Contracts that calls may name on EVM networks, in `to` or `address`. Stored in lower case.',
  ),
}

const ALLOW = described(
  record('AllowLists', ALLOW_LISTS),
  'Where callers may come from and what they may call. An empty list allows everything; a call ' +
    'that a list does not allow is refused with 403 and costs nothing.',
)

const ALLOW_CHANGE = described(
  record('AllowChange', {}, ALLOW_LISTS),
  'Lists that are given replace those of the app, the others stay. `[]` allows everything again.',
)

export const APP = record('App', {
  id: text({ pattern: '^app_[a-z0-9]{16}$' }),
  name: NAME,
  description: DESCRIPTION,
  networks: list(text()),
  is_active: IS_ACTIVE,
  allow: ALLOW,
  key: text('The API key, 32 characters. Keep it secret.'),
  urls: mapOf(text(), 'The JSON-RPC address of each network, key included.'),
  time_created: TIME_MS,
})

const NEW_APP = record(
  'NewApp',
  { name: NAME, networks: NETWORKS },
  { description: DESCRIPTION, allow: ALLOW_CHANGE },
)

const APP_CHANGE = record(
  'AppChange',
  {},
  {
    name: NAME,
    description: DESCRIPTION,
    networks: NETWORKS,
    is_active: IS_ACTIVE,
    allow: ALLOW_CHANGE,
  },
)

const APP_ID = path('The app’s id.', ID, 'app_4k2m9x7q1w8e5r3t')

const APP_EXAMPLE = {
  id: 'app_4k2m9x7q1w8e5r3t',
  name: 'Wallet backend',
  description: 'Balances and transfers',
  networks: ['ETH_MAINNET'],
  is_active: true,
  allow: { origins: ['https://app.example.com'], ips: [], methods: ['eth_*'], contracts: [] },
  key: 'p3v8k1z6n4c9x2m7b5l0q8w3e6r1t4y9',
  urls: {
    ETH_MAINNET: 'http://localhost:8080/eth-mainnet/v2/p3v8k1z6n4c9x2m7b5l0q8w3e6r1t4y9',
  },
  time_created: 1763164800000,
}

const NO_SUCH_APP = { '404': '`NotFound`: the team has no app of this id.' }

function entries(description: string) {
  return list(ALLOW_ENTRY, { maxItems: ALLOW_ENTRIES_MAX, description })
}

export const APP_CALLS = under('Apps', {
  listApps: teamCall('GET /api/apps', {
    summary: 'List the team’s apps',
    description: 'All apps of the team, oldest first, with their keys and URLs.',
    answer: data('The team’s apps.', list(APP), [APP_EXAMPLE]),
  }),

  createApp: teamCall('POST /api/apps', {
    summary: 'Create an app',
    description:
      'Makes an app with a key of its own. The key works on the given networks within a second. ' +
      'With `by_name` an app that is there is answered as a read would, its key included.',
    parameters: conditional.BY_NAME,
    body: body(NEW_APP, { name: 'Wallet backend', networks: ['ETH_MAINNET'] }),
    answer: conditional.tagged(data('The new app.', APP, APP_EXAMPLE)),
    grows: 'always',
    errors: conditional.CONFLICT,
  }),

  getApp: teamCall('GET /api/apps/{id}', {
    summary: 'Read an app',
    description: 'One app with its key and its URLs.',
    parameters: { id: APP_ID, ...conditional.IF_NONE_MATCH },
    answer: conditional.tagged(data('The app.', APP, APP_EXAMPLE)),
    errors: NO_SUCH_APP,
  }),

  changeApp: teamCall('PATCH /api/apps/{id}', {
    summary: 'Change an app',
    description:
      'Changes the fields that are given and leaves the rest. `networks` replaces the whole ' +
      'list, and so does each list in `allow`. It acts on calls within a second.',
    parameters: { id: APP_ID, ...conditional.IF_MATCH },
    body: body(APP_CHANGE, { is_active: false }),
    answer: conditional.tagged(
      data('The app as it is now.', APP, { ...APP_EXAMPLE, is_active: false }),
    ),
    errors: { ...NO_SUCH_APP, ...conditional.CHANGED_SINCE },
  }),

  deleteApp: teamCall('DELETE /api/apps/{id}', {
    summary: 'Delete an app',
    description:
      'The app is gone at once and its key stops within a second. Its usage stays on the ' +
      'team’s account.',
    parameters: { id: APP_ID, ...conditional.IF_MATCH },
    answer: nothing('Deleted.'),
    errors: { ...NO_SUCH_APP, ...conditional.CHANGED_SINCE },
  }),

  rotateAppKey: teamCall('POST /api/apps/{id}/rotate-key', {
    summary: 'Replace an app’s key',
    description:
      'Gives the app a new key. Within a second the new key works and the old one is refused ' +
      'with 401.',
    parameters: { id: APP_ID },
    answer: conditional.tagged(data('The app with its new key.', APP, APP_EXAMPLE)),
    errors: NO_SUCH_APP,
  }),
})

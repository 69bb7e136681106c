import type { NetworkKind } from '../core/network.ts'
import {
  anyOf,
  choice,
  described,
  integer,
  list,
  mapOf,
  object,
  preset,
  type Static,
  text,
} from '../core/schema/schema.ts'
import { BUDGET_SCHEMA } from './budget-schema.ts'
import { flagOr, whole, wholeOr } from './config-options.ts'

const HOUR_MS = 3_600_000

/** 32 bytes in base 58 take 32 to 44 characters. */
export const BASE58_32_BYTES = '^[1-9A-HJ-NP-Za-km-z]{32,44}$'

const UPSTREAM_NAME = text({
  description: 'Its name in logs, metrics and the x-headgate-upstream header.',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
  'x-form': 'up to 63 letters, digits, dots, dashes or underscores',
})

/** Options of an upstream that do not depend on its network. */
const UPSTREAM_OPTIONS = {
  priority: wholeOr(0, 0, 1000, 'Lower is preferred; higher ones serve when no lower one can.'),
  traces: flagOr(false, 'It serves debug_* or trace_*.'),
  concurrencyMax: wholeOr(512, 1, 65_536, 'Calls in flight at once.'),
  batchMax: wholeOr(100, 0, 1000, 'Calls sent in one batch; 0 sends each alone.'),
  timeoutMs: wholeOr(10_000, 1, 600_000, 'How long one attempt may take until its answer begins.'),
  budget: BUDGET_SCHEMA,
}

const UPSTREAM = object(
  {
    name: UPSTREAM_NAME,
    url: text({
      description:
        'http or https, or the key of a vendor, such as alchemy://KEY. May hold credentials: it ' +
        'is never shown.',
      maxLength: 2048,
    }),
  },
  {
    ws: text({
      description:
        'ws or wss, for new heads (evm) or changes of indexed accounts (solana). Never shown. ' +
        "Default: none; the vendor's for the key of a vendor.",
      maxLength: 2048,
    }),
    headers: mapOf(
      text({
        maxLength: 8192,
        pattern: '^[\\t\\x20-\\x7e]*$',
        'x-form': 'one line of printable ASCII',
      }),
      {
        description: 'Sent with every call and when the socket is opened. Values are never shown.',
        maxProperties: 32,
        propertyNames: {
          pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$",
          'x-form': 'the name of an HTTP header',
        },
      },
    ),
    ...UPSTREAM_OPTIONS,
    sendsOnly: flagOr(
      false,
      'A private relay (evm): it gets what the network is sent, and no reads. A network that has one sends nothing elsewhere.',
    ),
  },
)

const VENDOR_ADDRESS = text({
  description: 'The key of a vendor, such as alchemy://KEY. Never shown.',
  maxLength: 512,
})

export const VENDOR_OPTIONS = object(
  { url: VENDOR_ADDRESS },
  { name: UPSTREAM_NAME, ...UPSTREAM_OPTIONS },
)

export const VENDOR_SCHEMA = anyOf(VENDOR_ADDRESS, VENDOR_OPTIONS)

export type UpstreamValues = Static<typeof UPSTREAM>

/** One network as the file has it: a known one needs no more than its id. */
export type NetworkOptions = Static<typeof NETWORK_SCHEMA>

/** One network with all that defines it; what depends on other options is still to be found. */
export type NetworkValues = NetworkOptions & {
  readonly kind: NetworkKind
  readonly upstreams: readonly UpstreamValues[]
}

export const NETWORK_SCHEMA = object(
  {
    id: text({
      description: 'Such as ETH_MAINNET.',
      maxLength: 63,
      pattern: '^[A-Z][A-Z0-9_]*$',
      'x-form': 'capital letters, digits and underscores, such as ETH_MAINNET',
    }),
  },
  {
    kind: choice(
      ['evm', 'solana'],
      'Required, except for networks that are known by their id; for those it may be left out ' +
        'together with chainId, genesisHash and blockTimeMs.',
    ),
    upstreams: list(described(UPSTREAM, 'One node or vendor endpoint.'), {
      description: 'Required, except where a vendor of the top-level upstreams serves it.',
      minItems: 1,
      maxItems: 64,
    }),
    slug: text({
      description: 'Its name in URLs. Default: the id as eth-mainnet.',
      pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      'x-form': 'lower-case letters, digits and inner dashes, such as eth-mainnet',
    }),
    chainId: integer({
      description: 'Required for evm; every upstream is checked against it.',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    genesisHash: text({
      description:
        'For solana; every upstream is checked against it. Default: the first one that is heard.',
      pattern: BASE58_32_BYTES,
      'x-form': 'a hash in base 58',
    }),
    blockTimeMs: whole(
      10,
      600_000,
      'Usual time between blocks. Default: 12000 for evm, 400 for solana.',
    ),
    headPollMs: whole(
      50,
      600_000,
      'How often each upstream is asked for its head. Default: blockTimeMs / 3, from 250 to 4000.',
    ),
    headLagMsMax: wholeOr(
      30_000,
      1,
      HOUR_MS,
      'Further behind the others than this, an upstream is not used.',
    ),
    finalityDepth: whole(
      0,
      1_000_000,
      "Blocks below the head that count as final. Default: the node's finalized tag decides.",
    ),
    broadcast: wholeOr(
      1,
      1,
      16,
      'Upstreams that eth_sendRawTransaction goes to at once; the first to accept it answers.',
    ),
    quorum: described(
      object(
        { methods: methodList('Reads that are put to the vote, by name or prefix.') },
        {
          of: wholeOr(3, 2, 16, 'Upstreams that are asked at once.'),
          agree: wholeOr(
            2,
            2,
            16,
            'How many must give the same answer; more than half of `of`, at most all.',
          ),
        },
      ),
      'Several upstreams are asked, and what most of them say is answered. Default: none.',
    ),
    logBlocksMax: wholeOr(
      1_000_000,
      1,
      1_000_000_000,
      'Blocks of one eth_getLogs that no node answers at once; it is asked for in pieces.',
    ),
    verify: preset(
      choice(['auto', 'receipts', 'off'], {
        description:
          'For evm: whether blocks are proven by their hash before queries see them. auto: where ' +
          'the form of the chain is known; receipts: always, else the chain waits; off: never.',
      }),
      'auto',
    ),
    methods: described(
      object(
        {},
        {
          allow: methodPatterns(
            'Served, although it controls a node or deny has a shorter prefix.',
          ),
          deny: methodPatterns('Refused with -32601.'),
        },
      ),
      'What is served beyond or below the usual: the longest that fits counts, of equally ' +
        'long ones what stands here before what is built in, and deny before allow.',
    ),
  },
)

function methodPatterns(description: string) {
  return preset(methodList(description), [])
}

/** Methods, each by its name or by a prefix that ends in `*`. */
function methodList(description: string) {
  const pattern = text({
    pattern: '^([A-Za-z][A-Za-z0-9_]{0,127})?\\*?$',
    minLength: 1,
    'x-form': 'the name of a method, or a prefix such as debug_*',
  })
  return list(pattern, { description, maxItems: 1000 })
}

import { KNOWN_NETWORKS } from '../../config/vendors/known-networks.ts'
import { defaultSlug } from '../../core/network.ts'
import type { InitAnswers, InitNetwork, OwnNode } from './init-answers.ts'

const HEAD = `# The configuration of Headgate, written by \`headgate init\`. All options are in docs/operating.md.
# Each has an environment variable, which wins over this file: listen is HEADGATE_LISTEN.
`

export function configText(answers: InitAnswers): string {
  return [
    HEAD,
    ...listenLines(answers),
    ...storeLines(answers),
    '# Processes that serve JSON-RPC on the one port (Linux): a number, or auto by the cores.',
    `gateway: { workers: ${answers.workers} }`,
    '',
    ...vendorLines(answers),
    '# The networks that are served, and nodes of your own for them.',
    'networks:',
    ...answers.networks.flatMap(oneNetwork),
    '',
    '# Webhooks to addresses of the inner network, such as 10.0.0.8 or localhost, are refused.',
    'webhooks: { allowPrivateDestinations: false }',
    '',
  ].join('\n')
}

function listenLines({ listen, publicUrl }: InitAnswers): string[] {
  const isGiven = publicUrl !== null
  return [
    '# Address and port. 0.0.0.0 is for other machines, then with a proxy and TLS before it.',
    `listen: ${quoted(listen)}`,
    '',
    '# How clients reach it; it stands in links. Default: http://localhost and the port.',
    isGiven ? `publicUrl: ${quoted(publicUrl)}` : '# publicUrl: https://rpc.example.com',
    '',
  ]
}

function storeLines({ data, database }: InitAnswers): string[] {
  if (database === null) {
    return [
      '# Folder of the store (SQLite), its keys and scratch files: back it up.',
      `data: ${quoted(data)}`,
      '',
    ]
  }
  return [
    '# Folder of scratch files; the store is in the database.',
    `data: ${quoted(data)}`,
    '',
    '# PostgreSQL as the store, for one process or many. Or HEADGATE_DATABASE.',
    `database: ${quoted(database.url)}`,
    '',
    '# Encrypts the keys in the store. The same in every process; without it they are lost.',
    '# Or HEADGATE_SECRET.',
    `secret: ${quoted(database.secret)}`,
    '',
  ]
}

function vendorLines({ vendors }: InitAnswers): string[] {
  if (vendors.length === 0) return []
  return [
    '# Vendors by their keys: each serves those of the networks below that it has.',
    'upstreams:',
    ...vendors.map((vendor) => `  - ${quoted(vendor)}`),
    '',
  ]
}

function oneNetwork({ id, chain, nodes }: InitNetwork): string[] {
  const known = KNOWN_NETWORKS[id]
  const slug = known?.slug ?? defaultSlug(id)
  return [
    `  - id: ${id} # at /${slug}/v2/<key of an app>`,
    ...(known ? [] : chainLines(chain)),
    ...(nodes.length === 0 ? [] : ['    upstreams:', ...nodes.flatMap(nodeLines)]),
  ]
}

function chainLines(chain: InitNetwork['chain']): string[] {
  if (chain?.kind === 'solana') {
    return ['    kind: solana', `    genesisHash: ${quoted(chain.genesisHash)}`]
  }
  const chainId =
    chain === null ? [] : [`    chainId: ${chain.chainId} # each upstream must say it`]
  return ['    kind: evm', ...chainId, '    blockTimeMs: 12000 # the usual time between blocks']
}

function nodeLines({ name, url }: OwnNode): string[] {
  return [
    `      - name: ${name} # in logs and metrics`,
    `        url: ${quoted(url)}`,
    '        # ws: ws://… # new heads at once, instead of by polls',
    '        # traces: true # where it serves debug_* or trace_*',
  ]
}

/** A JSON string is one of YAML, whatever is in it. */
function quoted(text: string): string {
  return JSON.stringify(text)
}

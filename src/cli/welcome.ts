import type { FirstRun } from '../wiring/first-run.ts'
import type { NetworkSet } from '../wiring/networks/network-set.ts'

type Started = {
  url: string
  networks: Pick<NetworkSet, 'list'>
  firstRun: FirstRun | null
  settings: { local: boolean; data: string }
}

const FIRST_METHOD = { evm: 'eth_blockNumber', solana: 'getSlot' } as const

/** The terminal's first lines: where the service is, and commands that work when pasted. */
export function welcome({ url, networks, firstRun, settings }: Started): string {
  const ids = networks.list().map(({ network }) => network.id)
  const head = `Headgate is up at ${url} (${ids.join(', ')})`
  if (!firstRun) {
    return `${head}\nThere is no readable ${settings.data}/first-run.json: keys and tokens are those that were made before.`
  }
  // Outside of local development, keys belong in the file, not in a terminal's history.
  if (!settings.local) {
    return `${head}\nKeys and tokens of the first start: ${settings.data}/first-run.json`
  }
  const tries = networks.list().map(({ network: { slug, kind } }) => {
    return rpcLine(`${url}/${slug}/v2/${firstRun.app_key}`, FIRST_METHOD[kind])
  })
  return `${head}

  app key         ${firstRun.app_key}
  team token      ${firstRun.team_token}
  operator token  ${firstRun.operator_token ?? 'as configured'}

Try it:

  ${tries.join('\n\n  ')}

  curl -s ${url}/api/networks -H 'X-Service-Token: ${firstRun.team_token}'
`
}

function rpcLine(endpoint: string, method: string): string {
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]}`
  return `curl -s ${endpoint} -H 'content-type: application/json' -d '${body}'`
}

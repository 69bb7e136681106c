import type { FirstRun } from '../../wiring/first-run.ts'
import type { NetworkSet } from '../../wiring/networks/network-set.ts'

type Started = {
  url: string
  networks: Pick<NetworkSet, 'list'>
  firstRun: FirstRun | null
  signInLink: string | null
  settings: { local: boolean; data: string }
}

const FIRST_METHOD = { evm: 'eth_blockNumber', solana: 'getSlot' } as const

/** The terminal's first lines: where the service is, and commands that work when pasted. */
export function welcome({ url, networks, firstRun, signInLink, settings }: Started): string {
  const ids = networks.list().map(({ network }) => network.id)
  const head = `Headgate is up at ${url} (${ids.join(', ')})`
  // The secret stands behind #, so that it reaches no server and no server's log.
  const dashboard = signInLink === null ? '' : `\n  dashboard       ${signInLink}`
  if (!firstRun) {
    const missing = `There is no readable ${settings.data}/first-run.json: keys and tokens are those that were made before.`
    return `${head}\n${missing}${dashboard}`
  }
  // Outside of local development, keys belong in the file, not in a terminal's history.
  if (!settings.local) {
    return `${head}\nKeys and tokens of the first start: ${settings.data}/first-run.json`
  }
  const tries = networks.list().map(({ network: { slug, kind } }) => {
    return rpcLine(`${url}/${slug}/v2/${firstRun.app_key}`, FIRST_METHOD[kind])
  })
  return `${head}
${dashboard}
  app key         ${firstRun.app_key}
  team token      ${firstRun.team_token}
  operator token  ${firstRun.operator_token ?? 'as configured'}
  inbox           ${url}/inbox/demo

Try it:

  ${tries.join('\n\n  ')}

A webhook to the inbox, where GET /api/inboxes/demo shows what arrives:

  ${webhookLine(url, firstRun.team_token)}
`
}

function webhookLine(url: string, token: string): string {
  const body = JSON.stringify({
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${url}/inbox/demo`,
    graphql_query: '{ block { number hash } }',
  })
  const headers = `-H 'X-Service-Token: ${token}' -H 'content-type: application/json'`
  return `curl -s ${url}/api/create-webhook ${headers} -d '${body}'`
}

function rpcLine(endpoint: string, method: string): string {
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]}`
  return `curl -s ${endpoint} -H 'content-type: application/json' -d '${body}'`
}

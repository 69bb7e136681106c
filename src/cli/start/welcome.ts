import type { Running } from '../../wiring/start.ts'

const FIRST_METHOD = { evm: 'eth_blockNumber', solana: 'getSlot' } as const

const HEIGHT_WORD = { evm: 'block', solana: 'slot' } as const

const DATA_DEFAULT = './data'

const QUERY = '{ block { number hash } }'

export function welcome(started: Running, program = 'npx headgate'): string {
  const { url, networks, firstRun, settings, signInLink } = started
  const head = headLines(started)
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

A webhook on every block, and its inbox, from another terminal in this folder:

  ${commandLines(settings.data, program).join('\n  ')}

With curl, a call to each chain, and the same webhook:

  ${[...tries, webhookLine(url, firstRun.team_token)].join('\n\n  ')}
`
}

function headLines({ url, networks, resumed, settings }: Running): string {
  const list = networks.list()
  const head = `Headgate is up at ${url} (${list.map(({ network }) => network.id).join(', ')})`
  if (!resumed || !settings.local) return head
  const heights = list.flatMap(({ network: { id, kind }, pool: { selection } }) => {
    const { head: shown } = selection
    return shown === null ? [] : [`${id} is at ${HEIGHT_WORD[kind]} ${shown.number}`]
  })
  return [
    head,
    'It goes on where it ended: keys, apps and webhooks are as they were.',
    `${[...heights, '--fresh starts anew'].join(', ')}.`,
  ].join('\n')
}

/** They find address and token in the data folder, so that no secret stands in them. */
function commandLines(data: string, program: string): string[] {
  const run = data === DATA_DEFAULT ? program : `HEADGATE_DATA=${data} ${program}`
  return [`${run} webhook create --inbox demo --graphql '${QUERY}'`, `${run} devnet inbox demo`]
}

function webhookLine(url: string, token: string): string {
  const body = JSON.stringify({
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${url}/inbox/demo`,
    graphql_query: QUERY,
  })
  const headers = `-H 'X-Service-Token: ${token}' -H 'content-type: application/json'`
  return `curl -s ${url}/api/create-webhook ${headers} -d '${body}'`
}

function rpcLine(endpoint: string, method: string): string {
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]}`
  return `curl -s ${endpoint} -H 'content-type: application/json' -d '${body}'`
}

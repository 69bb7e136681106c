import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { type Cli, commandLine } from '../../support/product/cli-process.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some real blocks and processes, or more where the machine is busy with others. */
setDefaultTimeout(60_000)

const QUERY = '{ block { number hash } }'
const ITEMS = [1, 2, 3].map((digit) => `0x${String(digit).repeat(40)}`)

const PEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
`

let headgate: TestHeadgate
let chain: DevnetChain
let cli: Cli
let operator: Cli
let done: Cli['done']
let json: Cli['json']
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-cli-'))
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
  cli = commandLine({ url: headgate.url, token: headgate.teamToken })
  ;({ done, json } = cli)
  operator = commandLine({ url: headgate.url, token: headgate.operatorToken })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(async () => {
  await headgate.stop()
  rmSync(folder, { recursive: true })
})

describe('headgate webhook', () => {
  test('makes one, shows it, pauses it, and deletes it when asked twice', async () => {
    const create = ['webhook', 'create', '--query', '-', '--inbox', 'one', '--name', 'First']
    const created = await cli.run(create, { stdin: QUERY })
    expect(masked(created.stdout)).toBe(`Created the webhook <wh> on ETH_DEVNET.

name           First
destination    <url>/inbox/one
signing key    <whsec>
empty results  delivered too

Receivers check deliveries with the signing key: keep it secret.
It delivers from the next block on. Watch it:

  headgate devnet inbox one --follow
`)
    await done('devnet', 'mine', '2')
    await until(async () => {
      const answer = await headgate.api('GET', '/api/deliveries?status=delivered')
      return (answer.json as { data: unknown[] }).data.length === 2
    }, 'both are delivered')
    const log = masked(await done('webhook', 'logs', 'First')).split('\n')
    expect(log[0]).toStartWith('created')
    expect(log[2]).toMatch(/ {2}<seq> {2}delivered {2}200 +1 {2}– +<whevt> +\d+ ms +\d+ B$/)

    const [delivery] = await json(
      ...['webhook', 'logs', 'First', '--limit', '1', '--status', 'delivered'],
    )
    const one = await done('webhook', 'delivery', delivery.id)
    expect(one).toContain(`"sequenceNumber": "${delivery.sequence_number}"`)
    expect(await done('webhook', 'resend', delivery.id)).toMatch(/^status +waiting$/m)

    expect(await done('webhook', 'pause', 'First')).toMatch(/^state +paused$/m)
    const [titles, row] = masked(await done('webhook', 'list')).split('\n')
    expect(titles?.split(/ {2,}/)).toEqual([
      ...[
        'id',
        'name',
        'network',
        'state',
        'last',
        'delivered',
        'failed',
        'waiting',
        'destination',
      ],
    ])
    expect(row).toMatch(/^<wh> {2}First {2}ETH_DEVNET {2}paused .+ 0 +0 {2}<url>\/inbox\/one$/)
    expect(await done('webhook', 'resume', 'First')).toMatch(/^state +active$/m)

    const unasked = await cli.run(['webhook', 'delete', 'First'])
    expect([unasked.exitCode, unasked.stdout]).toEqual([2, ''])
    expect(unasked.stderr).toEndWith('Nobody can be asked here: give --yes to do it.\n')
    expect(await done('webhook', 'delete', 'First', '--yes')).toStartWith('Deleted wh_')
    const gone = await cli.run(['webhook', 'get', 'First'])
    expect([gone.exitCode, gone.stderr]).toEqual([
      1,
      'The team has no webhook First.\n`headgate webhook list` shows those that there are.\n',
    ])
  })
  test('changes what is given, and shows the key only when asked', async () => {
    const made = await json('webhook', 'create', '--inbox', 'two', '--graphql', QUERY)
    await done('webhook', 'change', made.id, '--name', 'Second', '--skip-empty', 'on')
    const shown = await done('webhook', 'get', 'Second')
    expect(shown).toContain('empty results  skipped\n')
    expect(shown).toEndWith(`\nquery\n${QUERY}\n`)
    expect(shown).not.toContain(made.signing_key)
    expect(await done('webhook', 'get', 'Second', '--show-key')).toContain(made.signing_key)

    const next = (await json('key', 'rotate', made.id, '--prepare')).next_signing_key
    expect(await done('webhook', 'rotate-key', 'Second', '--yes')).toContain(next)
    const tested = await done('webhook', 'test', 'Second')
    expect(tested).toStartWith('The destination accepted it: 200.\n')
    const refused = await cli.run(['webhook', 'test', '--to', 'http://127.0.0.1:1/x'])
    expect([refused.exitCode, refused.stdout.split('\n')[0]]).toEqual([
      1,
      'The destination did not accept it: no answer (connect).',
    ])
    expect((await cli.run(['webhook', 'change', 'Second'])).exitCode).toBe(2)
  })

  test('replays the past: the price first, then the blocks', async () => {
    const id = await webhookTo('past')
    const range = ['--from', '0', '--to', 'latest']
    const asked = await cli.run(['webhook', 'replay', id, ...range])
    expect(asked.exitCode).toBe(2)
    expect(asked.stderr).toMatch(
      /It comes to about \d deliveries, .+ CU, at the pace of the newest/,
    )
    const replayed = await json('webhook', 'replay', id, ...range, '--yes')
    expect(replayed).toMatchObject({ state: 'done', from_block: 0, webhook_id: id })
    expect(await done('webhook', 'replays')).toMatch(/^id .+\nrpl_\w+ +wh_\w+ +done +0 /)
    const backwards = await cli.run(['webhook', 'replay', id, '--from', '2', '--to', '1'])
    expect([backwards.exitCode, backwards.stderr]).toEqual([2, '--from comes after --to.\n'])
  })

  test('streams deliveries and arrivals as lines of JSON', async () => {
    const id = await webhookTo('live')
    const has = (lines: string[]) => lines.some((line) => JSON.parse(line).status === 'delivered')
    const deliveries = cli.follow(['webhook', 'logs', id, '--follow', '--json'], has)
    const arrivals = cli.follow(
      ['devnet', 'inbox', 'live', '-f', '--json'],
      (lines) => lines.length > 0,
    )
    // Whether the streams are open cannot be seen from here; blocks come until both have told.
    let isDone = false
    const both = Promise.all([deliveries, arrivals]).finally(() => {
      isDone = true
    })
    await until(async () => {
      await chain.mine()
      return isDone
    }, 'both streams have told')
    const [delivered = [], arrived = []] = await both
    expect(delivered.every((line) => JSON.parse(line).webhook_id === id)).toBe(true)
    expect(JSON.parse(arrived[0] ?? '')).toMatchObject({ webhook_id: id, signature: 'valid' })
  })
})

describe('headgate app, key, token and team', () => {
  test('make, change and end what a team has', async () => {
    const app = await json(
      'app',
      'create',
      '--name',
      'Shop',
      '--allow-origins',
      'https://a.example',
    )
    expect(app.networks).toEqual(['ETH_DEVNET', 'SOLANA_DEVNET'])
    await done('app', 'change', 'Shop', '--active', 'off', '--allow-origins', 'any')
    const shown = await json('app', 'get', 'Shop')
    expect(shown).toMatchObject({ is_active: false, allow: { origins: [] } })
    const keys = await done('key', 'list')
    expect(keys).toContain(app.id)
    expect(keys).not.toContain(app.key)
    expect(await done('key', 'list', '--show')).toContain(app.key)
    expect((await json('key', 'rotate', 'Shop', '--yes')).key).not.toBe(app.key)
    expect(await done('app', 'delete', 'Shop', '--yes')).toBe(`Deleted ${app.id}.\n`)

    const pem = join(folder, 'key.pem')
    writeFileSync(pem, PEM)
    const jwt = await json('key', 'create', '--name', 'Page', '--public-key', pem)
    expect(jwt.algorithm).toBe('EdDSA')
    expect(await done('key', 'delete', jwt.id, '--yes')).toBe(`Revoked ${jwt.id}.\n`)

    const { id, token } = await json('token', 'create', '--name', 'ci')
    const other = commandLine({ url: headgate.url, token })
    expect((await other.run(['token', 'list'])).stdout).toContain('ci')
    expect(await done('token', 'delete', id, '--yes')).toBe(`Revoked ${id}.\n`)
    const refused = await other.run(['token', 'list'])
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`The token came from HEADGATE_TOKEN, and ${headgate.url} does not`),
    ])
  })

  test('serve the operator, for each team', async () => {
    const made = await operator.run(['team', 'create', '--name', 'P', '--tier', 'free', '--json'])
    const { id } = JSON.parse(made.stdout)
    expect((await operator.run(['team', 'list'])).stdout).toContain(`${id}  P `)
    const tokens = await operator.run(['token', 'list', '--team', id, '--json'])
    expect(JSON.parse(tokens.stdout)).toHaveLength(1)
    const changed = await operator.run(['team', 'change', '--tier', 'growth', '--team', id])
    expect(changed.stdout).toMatch(/^tier +growth$/m)
    const refused = await cli.run(['team', 'list'])
    expect([refused.exitCode, refused.stdout]).toEqual([1, ''])
  })
})

test('headgate variable makes a list exactly so, from a pipe, too', async () => {
  expect(await done('variable', 'add', 'wallets', ...ITEMS.slice(0, 2))).toBe(
    'wallets: 2 items added, 0 taken away.\n',
  )
  const [, second = '', third = ''] = ITEMS
  const set = ['variable', 'set', 'wallets', '--file', '-']
  expect((await cli.run(set, { stdin: `${second},\n ${third}` })).exitCode).toBe(2)
  const { stdout } = await cli.run([...set, '--yes'], { stdin: `${second},\n ${third}` })
  expect(stdout).toBe('wallets: 1 item added, 1 taken away.\n')
  expect(await done('variable', 'get', 'wallets')).toBe(`${second}\n${third}\n`)
  expect(await json('variable', 'get', 'wallets', '--limit', '1')).toEqual([second])
  expect(await json('variable', 'list')).toMatchObject([{ name: 'wallets', items: 2 }])
  await done('variable', 'remove', 'wallets', second)
  await done('variable', 'delete', 'wallets', '--yes')
  expect(await json('variable', 'list')).toEqual([])
  expect((await cli.run(['variable', 'add', 'wallets'])).exitCode).toBe(2)
})

test('headgate usage and network show figures that fit their names', async () => {
  await headgate.post({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  await until(async () => {
    const { points } = await json('usage', '--by', 'method')
    return points.some(({ group }: { group: string }) => group === 'eth_chainId')
  }, 'the call is counted')
  expect(await done('usage', '--by', 'method')).toMatch(/\nmethod +cu +calls +bytes\n/)
  expect(await done('usage', '--month', '2020-02')).toBe('Nothing was used in 2020-02.\n')
  expect(await done('network', 'list')).toMatch(/^id .+\nETH_DEVNET +evm /)
})

test('headgate devnet holds, resumes, and sets how inboxes answer', async () => {
  expect((await json('devnet', 'hold')).is_held).toBe(true)
  expect(await done('devnet', 'resume')).toMatch(/^held +no$/m)
  const answers = await done('devnet', 'answer', 'broken', 'fail', '--status', '503')
  expect(answers).toMatch(/^behaviour +fail\nstatus +503$/m)
  expect(await done('devnet', 'inboxes')).toMatch(/\nbroken +0 +– +fail +503 .+ http/)
  expect(await done('devnet', 'empty', 'broken')).toMatch(/^arrivals +0$/m)
  const reorganised = await json('devnet', 'reorg', '1', '--drop', '--blocks', '3')
  expect(reorganised.replaced).toHaveLength(3)
  await done('devnet', 'mine')
  const height = reorganised.devnet.head.number
  expect(await done('devnet', 'drop', String(height))).toMatch(
    new RegExp(`^head number +${height}$`, 'm'),
  )
  const paced = await json('devnet', 'set', '--block-time', '500000', '--traffic', '0')
  expect(paced).toMatchObject({ block_time_ms: 500_000, transactions_per_block: 0 })
  expect((await cli.run(['devnet', 'set'])).exitCode).toBe(2)
  const wrong = await cli.run(['devnet', 'reorg', 'many'])
  expect([wrong.exitCode, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toContain('It takes a whole number from 1 to 32.')
})

test('headgate devnet breaks a node, stalls them all, and paces the Solana ledger', async () => {
  expect(await done('devnet', 'upstreams')).toMatch(
    /^name +behaviour +blocks\ndevnet +honest +0\n$/,
  )
  const lagging = await done('devnet', 'upstream', 'devnet', 'lag', '--blocks', '3')
  expect(lagging).toMatch(/\ndevnet +lag +3\n$/)
  const unknown = await cli.run(['devnet', 'upstream', 'nobody', 'lie'])
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    1,
    'There is no such upstream; there are devnet.\n',
  ])
  expect(await json('devnet', 'upstream', 'devnet', 'honest')).toHaveLength(1)
  expect(await done('devnet', 'stall', '1')).toBe('No node responds for 1 second.\n')
  const ledger = await json('devnet', 'solana', '--changes', '3', '--hold')
  expect(ledger).toMatchObject({ changes_per_slot: 3, is_held: true })
  expect(await done('devnet', 'solana')).toMatch(/^network +SOLANA_DEVNET\n/)
  expect((await cli.run(['devnet', 'solana', '--hold', '--resume'])).exitCode).toBe(2)
})

/** The id of a webhook to an inbox, made without the command line. */
async function webhookTo(inbox: string): Promise<string> {
  const answer = await headgate.api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${headgate.url}/inbox/${inbox}`,
    graphql_query: QUERY,
  })
  return (answer.json as { data: { id: string } }).data.id
}

/** The text without what differs from run to run. */
function masked(text: string): string {
  return text
    .replaceAll(headgate.url, '<url>')
    .replaceAll(/\b(wh|whsec|whevt)_[a-z0-9]{16,24}/g, '<$1>')
    .replaceAll(/\b1\d{12}\b/g, '<seq>')
}

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cli, commandLine } from '../../support/product/cli-process.ts'

/** Some processes, or more time where the machine is busy with others. */
setDefaultTimeout(60_000)

const TOKEN = 'a-token-that-must-not-be-shown'
const HUGE = '115792089237316195423570985008687907853269984665640564039457584007913129639935'

/** A name that clears the screen, goes back to the line's beginning, and turns text around. */
const HOSTILE = '\x1b[2J\x9b2J\rroot\u202e\n'
const SHOWN = '\\x1b[2J\\x9b2J\\x0droot\\u{202e}'

const APP = {
  id: 'app_0123456789abcdef',
  name: HOSTILE,
  description: '',
  networks: [HOSTILE],
  is_active: true,
  allow: { origins: [], ips: [], methods: [], contracts: [] },
  key: 'k',
  urls: { [HOSTILE]: HOSTILE },
  time_created: 1,
}

const refusal = (status: number, name: string, message: string, headers = {}) =>
  Response.json({ message, name, locations: [] }, { status, headers })

/** Longer than a client waits before it asks again. */
const LATER = { 'retry-after': '3600' }

const JSON_TYPE = { headers: { 'content-type': 'application/json' } }

const CUT_ANSWER =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"data":['

/** Whatever may answer at an address. */
const ANSWERS: Readonly<Record<string, () => Response>> = {
  '/api/apps': () => Response.json({ data: [APP] }),
  '/api/team': () => refusal(429, 'TooManyRequests', 'Slow down.', LATER),
  '/api/networks': () => refusal(503, 'Unavailable', `No room.${HOSTILE}`, LATER),
  '/api/devnet': () => refusal(404, 'NotFound', 'This is no local development.'),
  '/api/team/tokens': () => new Response('<html>', { status: 404 }),
  '/api/tiers': () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
  '/api/replays': () =>
    new Response(`{"data":[{"id":"r","next_block":${HUGE},"webhook_id":"\\u009b"}]}`, JSON_TYPE),
  '/api/jwt-keys': () =>
    Response.json({ data: Array(20_000).fill({ ...APP, algorithm: 'EdDSA' }) }),
  '/api/team-webhooks': () => Response.json({ data: [] }),
  '/api/teams': () => refusal(401, 'Unauthorized', 'The token is unknown.'),
}

let server: Bun.Server<undefined>
let breaking: Bun.TCPSocketListener
let folder: string
let cli: Cli

beforeAll(() => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch: ({ url }) =>
      ANSWERS[new URL(url).pathname]?.() ?? refusal(404, 'NotFound', 'No such call.'),
  })
  breaking = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.end(CUT_ANSWER) },
  })
  cli = commandLine({ url: server.url.origin, token: TOKEN })
  folder = mkdtempSync(join(tmpdir(), 'headgate-cli-'))
  mkdirSync(join(folder, 'data'))
  const first = { url: server.url.origin, team_token: TOKEN, operator_token: TOKEN }
  writeFileSync(join(folder, 'data', 'first-run.json'), JSON.stringify(first))
})
afterAll(async () => {
  await server.stop(true)
  breaking.stop(true)
  rmSync(folder, { recursive: true })
})

describe('a command that fails', () => {
  test.each([
    ['limits', ['team', 'get'], 1, 'Slow down.\nTry again in 3600 s.\n'],
    ['a full service', ['network', 'list'], 1, `No room.${SHOWN}\n\n`],
    ['no local development', ['devnet', 'status'], 1, 'This is no local development.\n'],
    ['another server', ['token', 'list'], 1, 'The answer was 404. Is it a Headgate that answers'],
    ['a page', ['team', 'tiers'], 1, 'The answer is no JSON. Is it a Headgate that answers at'],
    ['no such command', ['webhook', 'crate'], 2, 'did you mean'],
    ['no such option', ['webhook', 'list', '--jsn'], 2, '--json'],
    ['a missing word', ['webhook', 'get'], 2, 'needs <webhook>'],
    ['a missing option', ['webhook', 'replay', 'x', '--from', '1'], 2, '--to'],
    ['a wrong number', ['webhook', 'logs', '--limit', '0'], 2, 'It takes a whole number from 1 on'],
    ['a wrong choice', ['webhook', 'logs', '--status', 'odd'], 2, 'waiting, delivered, failed'],
    ['too many words', ['app', 'list', 'x'], 2, 'app list'],
  ])('says so in a sentence: %s', async (_what, words, code, said) => {
    const { exitCode, stdout, stderr } = await cli.run(words)
    expect([exitCode, stdout, stderr]).toEqual([code, '', expect.stringContaining(said)])
    expect(stderr).not.toContain(TOKEN)
  })

  test('tells a connection that broke from a refusal', async () => {
    const url = `http://127.0.0.1:${breaking.port}`
    const broken = await commandLine({ url, token: TOKEN }).run(['webhook', 'list'])
    expect([broken.exitCode, broken.stderr]).toEqual([
      3,
      expect.stringContaining('The connection broke before the answer’s end.\n'),
    ])
    const nobody = await commandLine({ url: 'http://127.0.0.1:1', token: TOKEN }).run([
      'app',
      'list',
    ])
    expect([nobody.exitCode, nobody.stderr]).toEqual([
      3,
      'No Headgate answers at http://127.0.0.1:1.\n' +
        'Is it running? `headgate start` starts one here; --url or HEADGATE_URL name another.\n',
    ])
  })

  test('says which Headgate it needs, and where a refused token came from', async () => {
    const nowhere = commandLine(null)
    const { exitCode, stderr } = await nowhere.run(['app', 'list'])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Which Headgate? Give --url')])
    const wrong = await nowhere.run(['app', 'list', '--url', 'file:///x', '--token', TOKEN])
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('is no address')])

    const beside = await nowhere.run(['team', 'list'], { cwd: folder })
    expect(beside.stderr).toContain('The token came from data/first-run.json, and ')
    const given = await cli.run(['team', 'list', '--token', 'other'])
    expect(given.stderr).toContain('The token came from --token, and ')
    const variable = await cli.run(['team', 'list'])
    expect(variable.stderr).toContain('The token came from HEADGATE_TOKEN, and ')
    for (const one of [beside, given, variable]) expect(one.exitCode).toBe(1)
  })
})

describe('data of others', () => {
  test('does not act on the terminal, and is unchanged in JSON', async () => {
    const { stdout } = await cli.run(['app', 'list'])
    expect(stdout.split('\n')[1]).toContain(`app_0123456789abcdef  ${SHOWN}   ${SHOWN}   yes `)
    expect((await cli.run(['app', 'get', APP.id])).stdout).toContain(SHOWN)
    const { stdout: json } = await cli.run(['app', 'list', '--json'])
    expect(JSON.parse(json)).toEqual([APP])
    for (const text of [stdout, json]) expect(text).not.toMatch(/[^\n\P{Cc}]|\u202e/u)
  })

  test('keeps all digits of its numbers', async () => {
    const { stdout } = await cli.run(['webhook', 'replays', '--json'])
    expect(stdout).toContain(`"next_block": ${HUGE},\n`)
    expect(stdout).toContain('"webhook_id": "\\u009b"')
  })
})

test('a reader that has had enough is no failure', async () => {
  const { exitCode, stdout, stderr } = await cli.pipe('key list', 'head -c 4')
  expect([exitCode, stdout, stderr]).toEqual([0, 'kind', ''])
})

describe.skipIf(Bun.which('script') === null && !process.env.CI)('in a terminal', () => {
  test('tables have colours and fit, unless colours are unwanted', async () => {
    const narrow = await cli.inTerminal('app list', 60)
    expect(narrow.stdout).toContain('\x1b[32myes\x1b[39m')
    const lines = Bun.stripANSI(narrow.stdout).split('\r\n')
    expect(lines.filter((line) => Bun.stringWidth(line) > 60)).toEqual([])
    expect(lines[1]).toContain('…')
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect((await cli.inTerminal('app list', 60, { env })).stdout).not.toContain('\x1b')
    }
    expect((await cli.inTerminal('app list --no-color', 60)).stdout).not.toContain('\x1b')
    for (const command of ['app list --json', 'app get nope', 'app nope']) {
      expect((await cli.inTerminal(command, 60)).stdout).not.toContain('\x1b')
    }
  })

  test('what cannot be undone is asked first, and done or left', async () => {
    const command = `app delete ${APP.id}`
    const left = await cli.inTerminal(command, 80, { stdin: 'n\r' })
    expect([left.exitCode, left.stdout]).toEqual([
      1,
      expect.stringContaining('Nothing was changed.'),
    ])
    expect(left.stdout).toContain(`Delete the app ${APP.id} (${SHOWN}`)
    const done = await cli.inTerminal(command, 80, { stdin: 'y\r' })
    // The server here knows no such call: that it was asked shows the answer was taken.
    expect([done.exitCode, done.stdout]).toEqual([1, expect.stringContaining('No such call.')])
  })
})

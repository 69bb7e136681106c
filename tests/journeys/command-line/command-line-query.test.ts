import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetChain } from '../../support/devnet/devnet-chain.ts'
import { type Cli, commandLine } from '../../support/product/cli-process.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

/** Some real blocks and processes, or more where the machine is busy with others. */
setDefaultTimeout(60_000)

const QUERY = '{ block { number hash } }'

let headgate: TestHeadgate
let cli: Cli
let done: Cli['done']
let json: Cli['json']
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-cli-'))
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
  cli = commandLine({ url: headgate.url, token: headgate.teamToken })
  ;({ done, json } = cli)
  await devnetChain(headgate).untilFollowed()
})
afterAll(async () => {
  await headgate.stop()
  rmSync(folder, { recursive: true })
})

describe('headgate query', () => {
  test('shows a result with its price, and keeps all digits', async () => {
    const value = '1234567890123456789'
    await done('devnet', 'send', '--value', value)
    await done('devnet', 'mine')
    const file = join(folder, 'q.graphql')
    writeFileSync(file, '{ block { number transactions(filter: {}) { value } } }')
    const { stdout, stderr, exitCode } = await cli.run(['query', 'run', file])
    expect(exitCode).toBe(0)
    expect(BigInt(JSON.parse(stdout).block.transactions[0].value)).toBe(BigInt(value))
    expect(stderr).toMatch(/A delivery of this is \d+ B, [\d.]+ CU; this run costs nothing\.\n$/)
    const first = await json('query', 'run', file, '--block', '0')
    expect(first).toMatchObject({ empty: true, block: { number: 0 } })
    expect(await done('query', 'estimate', file, '--skip-empty')).toContain('30 days, every block')
    expect(await done('query', 'check', file)).toStartWith('The query is good.\n')
    expect(await done('query', 'schema')).toContain('type Block {')
  })

  test('shows each mistake at its place', async () => {
    const wrong = '{ block {\n\tnumber\n\thash nubmer } }'
    const place = `error: Cannot query field "nubmer" on type "Block". Did you mean "number"?
 --> line 3, column 7
3 |  hash nubmer } }
  |       ^^^^^^
`
    const checked = await cli.run(['query', 'check', '-'], { stdin: wrong })
    expect([checked.exitCode, checked.stdout]).toEqual([1, place])
    const ran = await cli.run(['query', 'run', '--graphql', wrong])
    expect([ran.exitCode, ran.stdout, ran.stderr]).toEqual([1, '', place])
    const made = await cli.run(['webhook', 'create', '--inbox', 'x', '--graphql', wrong])
    expect([made.exitCode, made.stderr]).toEqual([1, place])
  })

  test.each([
    [['query', 'run'], 2, 'Which query? Give a file, - for standard input, or --graphql'],
    [['query', 'run', '/nowhere/q.graphql'], 2, '/nowhere/q.graphql cannot be read: there is no'],
    [
      ['query', 'run', '--graphql', QUERY, '--block', '99999999'],
      1,
      'has no block number 99999999',
    ],
    [['query', 'run', '--graphql', QUERY, '--network', 'NOPE'], 1, 'NOPE'],
  ])('says what is wrong with %j', async (words, code, said) => {
    const { exitCode, stderr } = await cli.run(words)
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(said)])
  })
})

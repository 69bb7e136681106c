// Runs on both stores.
import { expect, test } from 'bun:test'
import { ledgerOf, startLoad } from '../../support/basics/load.ts'
import { configuredProcess } from '../../support/product/configured-process.ts'
import { until } from '../../support/product/headgate.ts'
import { type HeadgateProcess, UPSTREAM_SECRETS } from '../../support/product/headgate-process.ts'

/** The usage that the contract allows a crash to lose. */
const LOSS_MS_MAX = 1000

const KILLS = 3

const WRONG_KEY = 'wrong0key0that0nobody0ever0made0'

const stage = configuredProcess()

test(`killed ${KILLS} times under load, it loses at most the last second of usage and says no secret`, async () => {
  stage.configure([stage.nodeA, stage.nodeB])
  stage.nodeB.stop()
  let headgate = await stage.start()
  const { keys } = headgate
  let before = await ledgerOf(headgate)

  for (let kill = 0; kill < KILLS; kill++) {
    const round = await loadAndKill(headgate)
    headgate = await stage.start()
    expect(headgate.keys).toEqual({ ...keys, url: headgate.url })
    const ledger = await ledgerOf(headgate)
    const written = ledger.calls - before.calls
    expect(written).toBeGreaterThanOrEqual(round.answeredInTime)
    expect(written).toBeLessThanOrEqual(round.answered + round.lost)
    // The ledger and the month are moved together or not at all.
    expect(ledger).toMatchObject({ cu: ledger.calls * 20, monthCu: ledger.calls * 20 })
    before = ledger
  }

  expect(await shown(headgate, '/api/networks')).toContain('node-b')
})

async function loadAndKill(headgate: HeadgateProcess) {
  const load = startLoad(headgate)
  const refused = await fetch(`${headgate.url}/eth-mainnet/v2/${WRONG_KEY}`, { method: 'POST' })
  expect(refused.status).toBe(401)
  await until(() => {
    const [first] = load.answered
    return first !== undefined && Date.now() - first.atMs > LOSS_MS_MAX * 1.5
  }, 'calls have been answered for longer than may be lost')
  await expectNoSecrets(headgate)

  const killedAtMs = Date.now()
  headgate.signal('SIGKILL')
  await headgate.exited
  await load.stop()
  expect(load.wrong).toEqual([])
  const inTime = load.answered.filter(({ atMs }) => atMs <= killedAtMs - LOSS_MS_MAX)
  expect(inTime.length).toBeGreaterThan(0)
  await expectNoSecrets(headgate, '')
  return { answered: load.answered.length, answeredInTime: inTime.length, lost: load.lost }
}

/** Neither what it said nor what anybody may ask of it holds a key, a token or an address. */
async function expectNoSecrets(headgate: HeadgateProcess, pages?: ''): Promise<void> {
  const { app_key, team_token, operator_token } = headgate.keys
  const secrets = [...UPSTREAM_SECRETS, app_key, team_token, operator_token, WRONG_KEY]
  const asked = pages === '' ? '' : await everyPage(headgate)
  const said = headgate.said()
  expect(said).toContain('"event":"rpc"')
  for (const secret of secrets) {
    expect(said).not.toContain(secret)
    expect(asked).not.toContain(secret)
  }
}

async function everyPage(headgate: HeadgateProcess): Promise<string> {
  const paths = ['/', '/docs', '/metrics', '/readyz', '/api/openapi.json', '/api/networks']
  return (await Promise.all(paths.map((path) => shown(headgate, path)))).join('\n')
}

async function shown({ url, keys }: HeadgateProcess, path: string): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'x-service-token': keys.operator_token },
  })
  return response.text()
}

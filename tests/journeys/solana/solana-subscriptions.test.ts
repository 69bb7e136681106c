import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  type SolanaLedger,
  startSolanaLedger,
} from '../../../packages/devnet/src/solana/solana-ledger.ts'
import { keyPairOf } from '../../../packages/devnet/src/solana/solana-message.ts'
import { encodeKey } from '../../../src/core/solana/base58.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { startTcpRelay, type TcpRelay } from '../../support/nodes/tcp-relay.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import { kitListens, playOn, web3Listens } from '../../support/solana/solana-listeners.ts'
import { type SolanaRpc, solanaRpc, solanaSocket } from '../../support/solana/solana-rpc.ts'

setDefaultTimeout(180_000)

const CONFIRMED = { commitment: 'confirmed', encoding: 'base64' }

let ledger: SolanaLedger
let relays: TcpRelay[]
let headgate: TestHeadgate
let direct: SolanaRpc
let url: string
let wsUrl: string

beforeAll(async () => {
  ledger = await startSolanaLedger({ clock: systemClock(), slotTimeMs: 0 })
  direct = solanaRpc(ledger.url)
  const ledgerPort = Number(new URL(ledger.wsUrl).port)
  relays = [await startTcpRelay(ledgerPort), await startTcpRelay(ledgerPort)]
  const upstreams = relays.map(({ port }, at) => ({
    name: `node-${at}`,
    url: ledger.url,
    ws: `ws://127.0.0.1:${port}`,
  }))
  const network = { id: 'SOLANA_TEST', kind: 'solana', blockTimeMs: 400, upstreams }
  headgate = await startHeadgate({
    env: { HEADGATE_NETWORKS: JSON.stringify([network]), HEADGATE_ROLES: 'gateway,api' },
  })
  url = `${headgate.url}/solana-test/v2/${headgate.appKey}`
  wsUrl = url.replace('http:', 'ws:')
})

afterAll(async () => {
  await headgate.stop()
  for (const relay of relays) await relay.close()
  await ledger.stop()
})

const advance = (slots: number) => direct.call('headgate_advanceSlots', slots)

const setLamports = (pubkey: string, lamports: string) =>
  direct.post(
    `{"jsonrpc":"2.0","id":1,"method":"headgate_setAccounts","params":[[{"pubkey":"${pubkey}","owner":"${pubkey}","data":"","lamports":${lamports}}]]}`,
  )

describe('clients of Solana subscribe through Headgate', () => {
  test('@solana/kit hears every kind', async () => {
    await kitListens(wsUrl, playOn(direct, 'kit through'))
  })

  test('web3.js hears every kind', async () => {
    await web3Listens(url, wsUrl, playOn(direct, 'web3 through'))
  })

  test('what is wrong is said in the words of a node, and the connection goes on', async () => {
    const socket = await solanaSocket(wsUrl)
    const wrong = await socket.ask('accountSubscribe', 'x')
    expect(wrong.error).toEqual({
      code: -32602,
      message: 'Invalid Request: Invalid pubkey provided',
    })
    expect((await socket.ask('slotUnsubscribe', 5)).error.code).toBe(-32602)
    const { result: id } = await socket.ask('slotSubscribe')
    await advance(1)
    expect(await socket.news(id)).toHaveProperty('parent')
    expect((await socket.ask('slotUnsubscribe', id)).result).toBe(true)
    await socket.close()
  })
})

test('what happens while a node is lost is told, or the client must connect anew', async () => {
  const pubkey = encodeKey(keyPairOf('changed in the dark').key)
  const [socket, payer, listener] = await Promise.all([1, 2, 3].map(() => solanaSocket(wsUrl)))
  if (!socket || !payer || !listener) throw new Error('three sockets were opened')
  const { result: account } = await socket.ask('accountSubscribe', pubkey, CONFIRMED)
  const signature = await direct.call('requestAirdrop', pubkey, 1_000_000_000)
  const { result: landed } = await payer.ask('signatureSubscribe', signature, {
    commitment: 'finalized',
  })
  expect((await listener.ask('logsSubscribe', 'all', CONFIRMED)).result).toBeNumber()
  await advance(1)
  expect((await socket.news(account)).value.lamports).toBe(1_000_000_000)

  for (const relay of relays) relay.reset()
  await setLamports(pubkey, '18446744073709551614')
  await advance(8)
  expect(await listener.ended).toMatchObject({ code: 1012 })
  // The next node tells of slots again, by which it is known from where it tells everything.
  const moving = setInterval(() => void advance(1), 50)
  const told = [await socket.news(account), await payer.news(landed)]
  clearInterval(moving)
  expect(told.map(({ value }) => value)).toMatchObject([
    { lamports: Number('18446744073709551614'), rentEpoch: Number('18446744073709551615') },
    { err: null },
  ])
  await setLamports(pubkey, '7')
  await advance(2)
  expect((await socket.news(account)).value.lamports).toBe(7)
  await Promise.all([socket.close(), payer.close()])
})

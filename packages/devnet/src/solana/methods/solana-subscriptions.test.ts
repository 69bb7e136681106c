import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import {
  type SolanaRpc,
  solanaRpc,
  solanaSocket,
} from '../../../../../tests/support/solana/solana-rpc.ts'
import { systemClock } from '../../clock.ts'
import { encodeBase58 } from '../solana-account.ts'
import { type SolanaLedger, startSolanaLedger } from '../solana-ledger.ts'
import { keyPairOf } from '../solana-message.ts'

setDefaultTimeout(180_000)

type Socket = Awaited<ReturnType<typeof solanaSocket>>

const CONFIRMED = { commitment: 'confirmed', encoding: 'base64' }

let ledger: SolanaLedger
let rpc: SolanaRpc
let socket: Socket

beforeAll(async () => {
  ledger = await startSolanaLedger({ clock: systemClock(), slotTimeMs: 0 })
  rpc = solanaRpc(ledger.url)
})
afterAll(() => ledger.stop())
beforeEach(async () => {
  socket = await solanaSocket(ledger.wsUrl)
})
afterEach(() => socket.close())

const advance = (slots: number) => rpc.call('headgate_advanceSlots', slots)

describe('subscriptions', () => {
  test('each slot is told, with its parent and its root', async () => {
    const { result: id } = await socket.ask('slotSubscribe')
    const slot = await advance(1)
    expect(await socket.news(id)).toEqual({ slot, parent: slot - 1, root: slot - 1 })
    const { result: rootId } = await socket.ask('rootSubscribe')
    await advance(1)
    expect(await socket.news(rootId)).toBe(slot)
  })

  test('what a program owns is told as it changes, but not what it lost', async () => {
    const program = encodeBase58(keyPairOf('a watched program').key)
    const pubkeys = Array.from({ length: 3 }, (_, at) =>
      encodeBase58(keyPairOf(`watched ${at}`).key),
    )
    const accounts = pubkeys.map((pubkey) => ({
      pubkey,
      lamports: 5,
      owner: program,
      data: 'AAEC',
    }))
    const slice = { dataSlice: { offset: 0, length: 1 } }
    const { result: id } = await socket.ask('programSubscribe', program, { ...CONFIRMED, ...slice })

    await rpc.call('headgate_setAccounts', accounts)
    const slot = (await advance(1)) - 1
    const told = [await socket.news(id), await socket.news(id), await socket.news(id)]
    expect(told.map(({ context }) => context)).toEqual(Array(3).fill({ slot }))
    expect(told.map(({ value }) => value.pubkey).toSorted()).toEqual(pubkeys.toSorted())
    // As on a node, a slice is not heeded here.
    expect(told[0].value.account).toMatchObject({ owner: program, data: ['AAEC', 'base64'] })

    await rpc.call('headgate_setAccounts', [{ ...accounts[0], lamports: 0 }])
    await rpc.call('headgate_setAccounts', [
      { ...accounts[1], owner: encodeBase58(new Uint8Array(32)) },
    ])
    await advance(1)
    await rpc.call('headgate_setAccounts', [{ ...accounts[2], lamports: 6 }])
    await advance(1)
    expect((await socket.news(id)).value).toMatchObject({
      pubkey: pubkeys[2],
      account: { lamports: 6 },
    })
  })

  test('filters hold for what is told', async () => {
    const program = encodeBase58(keyPairOf('a filtered program').key)
    const filters = [{ dataSize: 2 }]
    const { result: id } = await socket.ask('programSubscribe', program, { ...CONFIRMED, filters })
    const accounts = ['AA==', 'AAE=', 'AAEC'].map((data, at) => ({
      pubkey: encodeBase58(keyPairOf(`filtered ${at}`).key),
      lamports: 5,
      owner: program,
      data,
    }))
    await rpc.call('headgate_setAccounts', accounts)
    await advance(1)
    expect((await socket.news(id)).value.pubkey).toBe(accounts[1]!.pubkey)
    await rpc.call('headgate_setAccounts', [{ ...accounts[1], lamports: 9 }])
    await advance(1)
    expect((await socket.news(id)).value.account.lamports).toBe(9)
  })

  test('an account is told when it changes, and as an empty one when it is closed', async () => {
    const pubkey = encodeBase58(keyPairOf('a watched account').key)
    const owner = encodeBase58(keyPairOf('its owner').key)
    const { result: id } = await socket.ask('accountSubscribe', pubkey, CONFIRMED)
    await rpc.call('headgate_setAccounts', [{ pubkey, lamports: 5, owner, data: '' }])
    await advance(2)
    expect((await socket.news(id)).value).toMatchObject({ lamports: 5, owner })
    await rpc.call('headgate_setAccounts', [{ pubkey, lamports: 0, owner }])
    await advance(2)
    const nobody = '11111111111111111111111111111111'
    expect((await socket.news(id)).value).toMatchObject({ lamports: 0, owner: nobody, space: 0 })
  })

  test('whatever the commitment, it is told of a slot when it has ended', async () => {
    const pubkey = encodeBase58(keyPairOf('a slow account').key)
    const ids = []
    for (const commitment of ['processed', 'confirmed', 'finalized']) {
      const config = { encoding: 'base64', commitment }
      ids.push((await socket.ask('accountSubscribe', pubkey, config)).result)
    }
    const slot = await rpc.call('headgate_setAccounts', [{ pubkey, lamports: 5, owner: pubkey }])
    await advance(1)
    for (const id of ids) {
      expect(await socket.news(id)).toMatchObject({ context: { slot }, value: { lamports: 5 } })
    }
  })

  test.each(['processed', 'confirmed', 'finalized'])(
    'a transaction is told once when it is %s',
    async (commitment) => {
      const to = encodeBase58(keyPairOf(`paid when ${commitment}`).key)
      const signature = await rpc.call('requestAirdrop', to, 1_000_000_000)
      const { result: id } = await socket.ask('signatureSubscribe', signature, { commitment })
      await advance(5)
      expect((await socket.news(id)).value).toEqual({ err: null })
      const { error } = await socket.ask('signatureUnsubscribe', id)
      expect(error).toEqual({ code: -32602, message: 'Invalid subscription id.' })
    },
  )

  test('a transaction is told when it is received, and again when it is final', async () => {
    const to = encodeBase58(keyPairOf('received and paid').key)
    const signature = await rpc.call('requestAirdrop', to, 1_000_000_000)
    const config = { commitment: 'finalized', enableReceivedNotification: true }
    const { result: id } = await socket.ask('signatureSubscribe', signature, config)
    await advance(1)
    expect((await socket.news(id)).value).toBe('receivedSignature')
    expect((await socket.news(id)).value).toEqual({ err: null })
  })

  test('logs are told of all transactions, or of those that mention an account', async () => {
    const to = encodeBase58(keyPairOf('mentioned').key)
    const other = encodeBase58(keyPairOf('not mentioned').key)
    const { result: all } = await socket.ask('logsSubscribe', 'all', { commitment: 'processed' })
    const mentions = { mentions: [to] }
    const { result: few } = await socket.ask('logsSubscribe', mentions, { commitment: 'confirmed' })
    const first = await rpc.call('requestAirdrop', other, 1_000_000_000)
    const second = await rpc.call('requestAirdrop', to, 1_000_000_000)
    await advance(1)
    const told = [await socket.news(all), await socket.news(all), await socket.news(few)]
    expect(told.map(({ value }) => value.signature)).toEqual([first, second, second])
    expect(told[2].value.err).toBeNull()
    expect(told[2].value.logs).toContain('Program 11111111111111111111111111111111 success')
  })

  test('nothing is heard after unsubscribing, and others go on hearing', async () => {
    const other = await solanaSocket(ledger.wsUrl)
    const { result: id } = await socket.ask('slotSubscribe')
    const { result: kept } = await other.ask('slotSubscribe')
    expect((await other.ask('slotUnsubscribe', id)).error.message).toBe('Invalid subscription id.')
    expect((await socket.ask('slotUnsubscribe', id)).result).toBe(true)
    await advance(1)
    expect(await other.news(kept)).toHaveProperty('slot')
    socket.send('{"jsonrpc":"2.0","id":99,"method":"getHealth"}')
    const next = await socket.next(() => true)
    expect(next).toEqual({ jsonrpc: '2.0', id: 99, result: 'ok' })
    await other.close()
  })

  test('calls are answered as over HTTP, and a ping not at all', async () => {
    socket.send('{"jsonrpc":"2.0","method":"ping","params":{}}')
    socket.send('nonsense')
    expect(await socket.next(() => true)).toMatchObject({ error: { code: -32700 } })
    expect((await socket.ask('blockSubscribe', 'all')).error.message).toBe('Method not found')
    expect((await socket.ask('accountSubscribe', 5)).error.code).toBe(-32602)
    expect((await socket.ask('accountSubscribe')).error.code).toBe(-32602)
    expect((await socket.ask('logsSubscribe', { mentions: [] })).error.message).toBe(
      'Invalid Request: Only 1 address supported',
    )
    expect((await socket.ask('slotUnsubscribe', 'x')).error.code).toBe(-32602)
    expect((await socket.ask('getHealth')).result).toBe('ok')
  })

  test.each(['toString', 'constructor', '__proto__'])(
    '%s is no method, and slots go on',
    async (method) => {
      expect((await socket.ask(method)).error.message).toBe('Method not found')
      const slot = await advance(1)
      expect(await advance(1)).toBe(slot + 1)
    },
  )

  test('there is an end to how many there may be, and leaving makes room', async () => {
    const greedy = await solanaSocket(ledger.wsUrl)
    const answers = []
    for (let made = 0; made < 1_001; made++) answers.push(await greedy.ask('rootSubscribe'))
    expect(answers.at(-1).error.code).toBe(-32602)
    await greedy.close()
    for (;;) if ((await socket.ask('rootSubscribe')).result !== undefined) break
  })
})

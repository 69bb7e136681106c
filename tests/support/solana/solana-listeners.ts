import { expect } from 'bun:test'
import { address, createSolanaRpcSubscriptions, type Signature, signature } from '@solana/kit'
import { Connection, PublicKey } from '@solana/web3.js'
import { keyPairOf } from '../../../packages/devnet/src/solana/solana-message.ts'
import { encodeKey } from '../../../src/core/solana/base58.ts'
import { until } from '../basics/until.ts'
import type { SolanaRpc } from './solana-rpc.ts'

/** One more than a double can hold. */
const LAMPORTS = 2n ** 53n + 1n

/** Accounts that the listeners of one name listen to, and what is done to them. */
export type Played = {
  account: string
  program: string
  payee: string
  /** Changes the account and pays, in one slot, and lets it become final. */
  act(): Promise<void>
  /** A transaction that is part of the ledger. */
  pay(): Promise<string>
}

/** What is played on the embedded ledger, which is told so by its own controls. */
export function playOn(rpc: SolanaRpc, name: string): Played {
  const [account = '', program = '', payee = ''] = ['account', 'program', 'payee'].map((part) =>
    encodeKey(keyPairOf(`${name} ${part}`).key),
  )
  let acts = 0n
  const pay = () => rpc.call('requestAirdrop', payee, 1_000_000_000)
  return {
    account,
    program,
    payee,
    pay,
    async act() {
      acts += 2n
      const members = `"pubkey":"${account}","owner":"${program}","data":"AAEC"`
      const params = `[[{${members},"lamports":${LAMPORTS + acts}}]]`
      await rpc.post(`{"jsonrpc":"2.0","id":1,"method":"headgate_setAccounts","params":${params}}`)
      await pay()
      await rpc.call('headgate_advanceSlots', 6)
    },
  }
}

/** @solana/kit hears every kind of subscription at this address. */
export async function kitListens(wsUrl: string, played: Played): Promise<void> {
  const stop = new AbortController()
  const options = { abortSignal: stop.signal }
  const kit = createSolanaRpcSubscriptions(wsUrl)
  const confirmed = { commitment: 'confirmed', encoding: 'base64' } as const
  const news = {
    account: kit.accountNotifications(address(played.account), confirmed).subscribe(options),
    program: kit
      .programNotifications(address(played.program), { ...confirmed, filters: [{ dataSize: 3n }] })
      .subscribe(options),
    logs: kit
      .logsNotifications({ mentions: [address(played.payee)] }, confirmed)
      .subscribe(options),
    slot: kit.slotNotifications().subscribe(options),
    root: kit.rootNotifications().subscribe(options),
    signature: kit.signatureNotifications(await paid(played), confirmed).subscribe(options),
  }
  const first = async <T>(stream: Promise<AsyncIterable<T>>): Promise<T> => {
    for await (const one of await stream) return one
    throw new Error('it ended')
  }
  const heard = Promise.all([
    first(news.account),
    first(news.program),
    first(news.logs),
    first(news.slot),
    first(news.root),
    first(news.signature),
  ])
  let isHeard = false
  heard.finally(() => {
    isHeard = true
  })
  // The library drops what comes before somebody waits for it.
  await until(async () => {
    await played.act()
    return isHeard
  }, 'every subscription has told something')
  const [account, program, logs, slot, root, done] = await heard
  // An even number beside it would be one that went through a double.
  expect(account.value.lamports % 2n).toBe(1n)
  expect(account.value.lamports).toBeGreaterThan(LAMPORTS)
  expect(account.value.data).toEqual(['AAEC', 'base64'] as never)
  expect(program.value.pubkey).toBe(address(played.account))
  expect(program.value.account.lamports % 2n).toBe(1n)
  expect(logs.value.err).toBeNull()
  expect(logs.value.logs?.length).toBeGreaterThan(0)
  expect(slot.slot).toBeGreaterThan(slot.root)
  expect(typeof root).toBe('bigint')
  expect(done.value).toEqual({ err: null })
  stop.abort()
}

/** web3.js hears every kind of subscription at this address, and ends them. */
export async function web3Listens(url: string, wsUrl: string, played: Played): Promise<void> {
  const connection = new Connection(url, { wsEndpoint: wsUrl, commitment: 'confirmed' })
  const heard = new Map<string, unknown>()
  const hear = (kind: string) => (told: unknown) => void heard.set(kind, told)
  const account = new PublicKey(played.account)
  const program = new PublicKey(played.program)
  const confirmed = { commitment: 'confirmed', encoding: 'base64' } as const
  const ids = {
    account: connection.onAccountChange(account, hear('account'), confirmed),
    program: connection.onProgramAccountChange(program, hear('program'), {
      ...confirmed,
      filters: [{ dataSize: 3 }],
    }),
    logs: connection.onLogs(new PublicKey(played.payee), hear('logs'), 'confirmed'),
    slot: connection.onSlotChange(hear('slot')),
    root: connection.onRootChange(hear('root')),
  }
  connection.onSignature(await paid(played), hear('signature'), 'confirmed')
  await until(async () => {
    await played.act()
    return heard.size === 6
  }, 'every subscription has told something')
  expect(heard.get('account')).toMatchObject({ owner: program, executable: false })
  expect(heard.get('program')).toMatchObject({ accountId: account })
  expect(heard.get('logs')).toMatchObject({ err: null })
  expect(heard.get('signature')).toEqual({ err: null })
  expect(heard.get('slot')).toHaveProperty('parent')
  expect(typeof heard.get('root')).toBe('number')
  await connection.removeAccountChangeListener(ids.account)
  await connection.removeProgramAccountChangeListener(ids.program)
  await connection.removeOnLogsListener(ids.logs)
  await connection.removeSlotChangeListener(ids.slot)
  await connection.removeRootChangeListener(ids.root)
  closeSocketOf(connection)
}

/** The library has no call for it, and would go on calling a server that is gone. */
export function closeSocketOf(connection: Connection): void {
  const { _rpcWebSocket: socket } = connection as unknown as {
    _rpcWebSocket: { close(): void; setAutoReconnect(reconnects: boolean): void }
  }
  socket.setAutoReconnect(false)
  socket.close()
}

async function paid(played: Played): Promise<Signature> {
  return signature(await played.pay())
}

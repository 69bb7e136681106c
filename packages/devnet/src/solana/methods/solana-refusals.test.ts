import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type SolanaRpc, solanaRpc } from '../../../../../tests/support/solana/solana-rpc.ts'
import { systemClock } from '../../clock.ts'
import { encodeBase58, PROGRAMS } from '../solana-account.ts'
import { TEST_WALLETS } from '../solana-genesis.ts'
import { type SolanaLedger, startSolanaLedger } from '../solana-ledger.ts'
import { keyPairOf } from '../solana-message.ts'

setDefaultTimeout(180_000)

const WALLET = encodeBase58(TEST_WALLETS[0]!.key)
const NOBODY = encodeBase58(keyPairOf('nobody').key)

let ledger: SolanaLedger
let rpc: SolanaRpc

beforeAll(async () => {
  ledger = await startSolanaLedger({ clock: systemClock(), slotTimeMs: 0 })
  rpc = solanaRpc(ledger.url)
})
afterAll(() => ledger.stop())

describe('a call that is wrong is refused in the words of a node', () => {
  test.each([
    ['getAccountInfo', [], -32602, '`params` should have at least 1 argument(s)'],
    ['getAccountInfo', [1], -32602, 'Invalid params: invalid type: number, expected a string.'],
    ['getAccountInfo', ['0'.repeat(32)], -32602, 'Invalid param: Invalid'],
    ['getAccountInfo', ['abc'], -32602, 'Invalid param: WrongSize'],
    ['getHealth', [1], -32602, 'No parameters were expected'],
    ['getBalance', [WALLET, {}, 3], -32602, 'Invalid parameters: Expected from 1 to 2 parameters.'],
    ['getBlockTime', [1e15], -32004, 'Block not available for slot 1000000000000000'],
    ['getTokenSupply', [WALLET], -32602, 'Invalid param: not a Token mint'],
    ['getTokenSupply', [NOBODY], -32602, 'Invalid param: could not find mint'],
    ['getTokenAccountBalance', [WALLET], -32602, 'Invalid param: not a Token account'],
    ['getTokenAccountBalance', [NOBODY], -32602, 'Invalid param: could not find account'],
    [
      'getTokenAccountsByOwner',
      [WALLET, { programId: WALLET }],
      -32602,
      'Invalid param: unrecognized Token program id',
    ],
    ['getSignatureStatuses', [['abc']], -32602, 'Invalid param: WrongSize'],
    ['getSignatureStatuses', [['0'.repeat(88)]], -32602, 'Invalid param: Invalid'],
    ['getSignatureStatuses', [['0'.repeat(89)]], -32602, 'Invalid param: WrongSize'],
    ['sendTransaction', ['0'], -32602, 'invalid base58 encoding: InvalidCharacter'],
    [
      'sendTransaction',
      ['!', { encoding: 'base64' }],
      -32602,
      'invalid base64 encoding: InvalidByte',
    ],
    [
      'sendTransaction',
      ['', { encoding: 'json' }],
      -32602,
      'unsupported encoding: json. Supported encodings: base58, base64',
    ],
    [
      'sendTransaction',
      ['1'.repeat(1_700)],
      -32602,
      'base58 encoded solana_transaction::versioned::VersionedTransaction too large: 1700 bytes (max: encoded/raw 1683/1232)',
    ],
    [
      'simulateTransaction',
      ['', { sigVerify: true, replaceRecentBlockhash: true }],
      -32602,
      'sigVerify may not be used with replaceRecentBlockhash',
    ],
    ['slotSubscribe', [], -32601, 'Method not found'],
    ['getSupply', [], -32601, 'Method not found'],
    ['getVoteAccounts', [], -32601, 'Method not found'],
    ['getNothing', [], -32601, 'Method not found'],
    ['constructor', [], -32601, 'Method not found'],
    [
      'headgate_setAccounts',
      [[{ pubkey: WALLET, owner: WALLET, lamports: -1 }]],
      -32602,
      'Invalid params: invalid type: number, expected u64.',
    ],
    [
      'headgate_setAccounts',
      [[{ pubkey: WALLET, owner: WALLET, lamports: 1, data: '!' }]],
      -32602,
      'data must be a string in base64',
    ],
    ['headgate_advanceSlots', [1e6], -32602, 'Too many slots; max 1000'],
  ])('%s %j', async (method, params, code, message) => {
    expect((await rpc.reply(method, ...params)).error).toMatchObject({ code, message })
  })

  test.each([
    ['nothing', '', -32700],
    ['half a body', '{"jsonrpc":"2.0",', -32700],
    ['a body deeper than any stack', '['.repeat(2_000_000), -32700],
    ['an empty batch', '[]', -32600],
    ['a number', '7', -32600],
    ['null', 'null', -32600],
    ['no version', '{"id":1,"method":"getSlot"}', -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"getSlot"}', -32600],
    ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":{}}', -32600],
    [
      'params that are an object',
      '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":{}}',
      -32602,
    ],
  ])('%s, and the ledger goes on', async (_title, body, code) => {
    expect(JSON.parse(await rpc.post(body)).error.code).toBe(code)
    expect(await rpc.call('getHealth')).toBe('ok')
  })

  test('a batch is answered in its order, and calls without an id not at all', async () => {
    const call = (id: number, method: string) => ({ jsonrpc: '2.0', id, method })
    const batch = [call(1, 'getHealth'), 7, { jsonrpc: '2.0', method: 'ping' }, call(2, 'nothing')]
    expect(JSON.parse(await rpc.post(JSON.stringify(batch)))).toMatchObject([
      { id: 1, result: 'ok' },
      { id: null, error: { code: -32600 } },
      { id: 2, error: { code: -32601 } },
    ])
    expect(await rpc.post('{"jsonrpc":"2.0","method":"ping"}')).toBe('')
  })

  test('only POST is listened to', async () => {
    expect((await fetch(ledger.url)).status).toBe(405)
  })
})

describe('what the machine cannot do without stays, whatever a control says', () => {
  test.each([
    ['the system program', PROGRAMS.system],
    ['the token program', PROGRAMS.token],
    ['the loader of programs', 'BPFLoaderUpgradeab1e11111111111111111111111'],
  ])('%s', async (_title, pubkey) => {
    const gone = { pubkey, owner: PROGRAMS.system, lamports: 0 }
    const closed = await rpc.reply('headgate_setAccounts', [gone])
    expect(closed.error.message).toBe(`${pubkey}: a program cannot be taken away`)
    const emptied = { pubkey, owner: PROGRAMS.system, lamports: 1, data: '' }
    expect((await rpc.reply('headgate_setAccounts', [emptied])).error.code).toBe(-32602)
    expect(await rpc.call('requestAirdrop', NOBODY, 1e9)).toBeString()
  })

  test.each([
    ['the clock', 'SysvarC1ock11111111111111111111111111111111', 40],
    ['the hashes of slots', 'SysvarS1otHashes111111111111111111111111111', 8],
    ['the rent', 'SysvarRent111111111111111111111111111111111', 17],
  ])('%s', async (_title, pubkey, dataBytes) => {
    const data = Buffer.alloc(dataBytes).toString('base64')
    const account = { pubkey, owner: PROGRAMS.sysvar, lamports: 0, data }
    const { error } = await rpc.reply('headgate_setAccounts', [account])
    expect(error.message).toBe(`${pubkey}: a sysvar is changed by the ledger alone`)
    await rpc.call('headgate_advanceSlots', 2)
    expect(await rpc.call('requestAirdrop', NOBODY, 1e9)).toBeString()
  })
})

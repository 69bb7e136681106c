import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { encodeBase58 } from './solana-account.ts'
import { answerAsleep, GENESIS_HASH } from './solana-asleep.ts'

test('the genesis hash is that of its phrase', () => {
  const hash = createHash('sha256').update('headgate solana devnet').digest()
  expect(GENESIS_HASH).toBe(encodeBase58(new Uint8Array(hash)))
})

test.each([
  ['getSlot', '"params":[{"commitment":"processed"}]', '7'],
  ['getGenesisHash', '"params":[]', `"${GENESIS_HASH}"`],
  ['getHealth', '"params":[]', '"ok"'],
])('%s is answered before there is a machine, with the id as it came', (method, params, result) => {
  const text = `{"jsonrpc":"2.0","id":9007199254740993,"method":"${method}",${params}}`
  const reply = `{"jsonrpc":"2.0","result":${result},"id":9007199254740993}`
  expect(answerAsleep(text, 7)).toBe(reply)
})

test.each([
  ['another method', '{"jsonrpc":"2.0","id":1,"method":"getBalance","params":[]}'],
  ['another commitment', '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[]}'],
  ['params that are none', '{"jsonrpc":"2.0","id":1,"method":"getHealth","params":[1]}'],
  ['no id', '{"jsonrpc":"2.0","method":"getHealth","params":[]}'],
  ['no version', '{"id":1,"method":"getHealth","params":[]}'],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"getHealth","params":[]}]'],
  ['a name of the prototype', '{"jsonrpc":"2.0","id":1,"method":"constructor","params":[]}'],
  ['null', 'null'],
  ['no JSON', '{"jsonrpc":'],
  ['nothing', ''],
  ['a long body', `{"jsonrpc":"2.0","id":"${'x'.repeat(300)}","method":"getHealth","params":[]}`],
])('%s is left to the ledger', (_title, text) => {
  expect(answerAsleep(text, 7)).toBeNull()
})

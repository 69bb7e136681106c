import { expect, test } from 'bun:test'
import { type FromWorker, readMessage } from './worker-messages.ts'

test('a message between processes is read as it was sent', () => {
  const message: FromWorker = { kind: 'news', id: 1, network: 'ETH', news: { kind: 'write' } }
  expect(readMessage<FromWorker>(JSON.parse(JSON.stringify(message)))).toEqual(message)
})

test.each([[null], [undefined], [5], ['opened'], [[]], [{}], [{ kind: ['opened'] }]])(
  'anything else is none: %p',
  (sent) => {
    expect(readMessage(sent)).toBeNull()
  },
)

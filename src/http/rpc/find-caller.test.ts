import { expect, test } from 'bun:test'
import { credentialOf } from './find-caller.ts'

const KEY = 'k'.repeat(32)

test.each([
  ['a key in the path', KEY, {}, KEY],
  ['the path before a header', KEY, { authorization: 'Bearer other' }, KEY],
  ['a key in a header', '', { authorization: `Bearer ${KEY}` }, KEY],
  ['a token in a header', '', { authorization: 'bearer  a.b.c ' }, 'a.b.c'],
  ['no token in a path', 'a.b.c', { authorization: `Bearer ${KEY}` }, ''],
  ['no other scheme', '', { authorization: 'Basic a.b.c' }, ''],
  [
    'a token among the protocols of a WebSocket',
    '',
    { 'sec-websocket-protocol': 'headgate, headgate.jwt.a.b.c' },
    'a.b.c',
  ],
  ['no other protocol', '', { 'sec-websocket-protocol': 'graphql-ws' }, ''],
  ['nothing', '', {}, ''],
])('a request is known by %s', (_, key, headers, credential) => {
  const request = new Request('http://gate.example/v2', {
    headers: headers as Record<string, string>,
  })
  expect(credentialOf(request, { slug: '', key })).toBe(credential)
})

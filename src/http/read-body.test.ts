import { expect, test } from 'bun:test'
import { Rejection } from '../core/errors.ts'
import { readJsonBody } from './read-body.ts'

function posted(body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Request {
  return new Request('http://gate.example/', { method: 'POST', body, headers })
}

test('a client that hangs up in the middle of its body is no failure of ours', async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"name":')),
    pull: (controller) => controller.error(new Error('the connection was closed')),
  })
  const answer = await readJsonBody(posted(body))
  expect(answer).toBeInstanceOf(Rejection)
  expect((answer as Rejection).code).toBe('parse_error')
})

test('an endless body is left alone after 2.5 MiB', async () => {
  let pulled = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled++
      controller.enqueue(new Uint8Array(64 * 1024))
    },
  })
  const answer = await readJsonBody(posted(body))
  expect((answer as Rejection).code).toBe('too_large')
  expect(pulled).toBeLessThan(60)
})

test('a character cut in two by the network is whole again', async () => {
  const bytes = new TextEncoder().encode('"é"')
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
      controller.close()
    },
  })
  expect(await readJsonBody(posted(body))).toBe('é')
})

import { expect, test } from 'bun:test'
import { openFrameFlusher, openOutgoing } from './outgoing.ts'

const KIB = 1024

/** A socket whose client takes bytes when the test says so. */
function openStage() {
  const socket = {
    written: [] as string[],
    buffered: 0,
    closed: [] as unknown[],
    isReading: true,
    send(text: string) {
      socket.written.push(text)
      if (!socket.isReading) socket.buffered += text.length
      return text.length
    },
    cork: (work: () => void) => work(),
    close: (code: number, reason: string) => void socket.closed.push([code, reason]),
    terminate: () => {},
    getBufferedAmount: () => socket.buffered,
  }
  let flushes = 0
  const outgoing = openOutgoing(openFrameFlusher(), () => void flushes++)
  outgoing.opened(socket as never)
  const send = (kib: number) => outgoing.send('x'.repeat(kib * KIB), kib * KIB)
  return { socket, outgoing, send, flushes: () => flushes }
}

test('frames of one turn leave in order, at its end', async () => {
  const { socket, outgoing, flushes } = openStage()
  for (const text of ['a', 'b', 'c']) outgoing.send(text, 1)
  expect(socket.written).toEqual([])
  await Promise.resolve()
  expect(socket.written).toEqual(['a', 'b', 'c'])
  expect(flushes()).toBe(1)
})

test('a client that takes nothing is left at most 1 MiB', async () => {
  const { socket, send } = openStage()
  socket.isReading = false
  let sent = 0
  while (send(50)) sent++
  await Promise.resolve()
  expect(sent).toBe(20)
  expect(socket.buffered).toBeLessThanOrEqual(KIB * KIB)
})

test('a client that reads may be sent any number of bytes in one turn', () => {
  const { socket, send } = openStage()
  for (let at = 0; at < 100; at++) expect(send(50)).toBe(true)
  expect(socket.written.length).toBeGreaterThan(90)
})

test('a large answer does not count against what else may wait', async () => {
  const { socket, outgoing, send } = openStage()
  socket.isReading = false
  outgoing.sendLarge('x'.repeat(3000 * KIB), 3000 * KIB)
  await Promise.resolve()
  expect(send(1000)).toBe(true)
  await Promise.resolve()
  expect(send(100)).toBe(false)

  let isDrained = false
  void outgoing.drained().then(() => {
    isDrained = true
  })
  socket.buffered = 0
  outgoing.noteDrain()
  await Promise.resolve()
  expect(isDrained).toBe(true)
})

test('a close comes behind all that waits, and nothing behind it', async () => {
  const { socket, outgoing } = openStage()
  outgoing.send('a', 1)
  outgoing.close(1012, 'bye')
  expect(outgoing.send('b', 1)).toBe(true)
  await Promise.resolve()
  expect([socket.written, socket.closed]).toEqual([['a'], [[1012, 'bye']]])
})

import { expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import { Failure } from '../../core/errors.ts'
import { type LogPlace, openLogPlaces } from './log-places.ts'

const settle = () => Bun.sleep(0)

test('a caller has four answers made at once, and leaves room for others', async () => {
  const places = openLogPlaces(testClock())
  const taken: LogPlace[] = []
  for (let at = 0; at < 6; at++) void places.take('one').then((place) => taken.push(place))
  await settle()
  expect(taken.length).toBe(4)
  const other = await places.take('other')
  taken[0]?.begun()
  taken[0]?.begun()
  await settle()
  expect(taken.length).toBe(5)
  other.release()
  taken[1]?.release()
  taken[1]?.release()
  await settle()
  expect(taken.length).toBe(6)
})

test('who waits too long, or leaves too many unread, is told', async () => {
  const clock = testClock()
  const places = openLogPlaces(clock)
  const held: LogPlace[] = []
  for (let at = 0; at < 32; at++) {
    const place = await places.take('one')
    place.begun()
    held.push(place)
  }
  await expect(places.take('one')).rejects.toBeInstanceOf(Failure)
  held[0]?.release()
  for (const place of held.slice(1)) place.release()

  for (let at = 0; at < 4; at++) await places.take('one')
  const late = places.take('one').catch((thrown: unknown) => thrown)
  await clock.advance(10_001)
  expect(await late).toBeInstanceOf(Failure)
})

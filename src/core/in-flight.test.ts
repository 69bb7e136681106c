import { expect, test } from 'bun:test'
import { seededChance } from '../../tests/support/basics/seeded-chance.ts'
import { NO_PLACE, openInFlight } from './in-flight.ts'

const item = (name: number) => ({ name, place: NO_PLACE })

test.each([1, 2, 3])('holds what a set would hold, seed %d', (seed) => {
  const chance = seededChance(seed)
  const inFlight = openInFlight<ReturnType<typeof item>>()
  const model = new Set<ReturnType<typeof item>>()
  const items = Array.from({ length: 40 }, (_, name) => item(name))
  for (let step = 0; step < 20_000; step++) {
    const one = chance.pick(items)
    if (chance.fraction() < 0.5) {
      inFlight.add(one)
      model.add(one)
    } else {
      expect(inFlight.remove(one)).toBe(model.delete(one))
    }
    expect(inFlight.size).toBe(model.size)
  }
  expect(new Set(inFlight.list())).toEqual(model)
})

test('can be emptied while it is read', () => {
  const inFlight = openInFlight<ReturnType<typeof item>>()
  for (let name = 0; name < 5; name++) inFlight.add(item(name))
  for (const one of inFlight.list()) inFlight.remove(one)
  expect(inFlight.size).toBe(0)
})

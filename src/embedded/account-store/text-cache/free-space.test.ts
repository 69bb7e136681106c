import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/seeded-chance.ts'
import { type Extent, openFreeSpace } from './free-space.ts'

describe('the room for texts', () => {
  test('is given out from its beginning, and again where it was given back', () => {
    const room = openFreeSpace([], 100)
    expect([room.take(40), room.take(40), room.take(40)]).toEqual([0, 40, null])
    room.give({ place: 0, bytes: 40 })
    expect([room.take(41), room.take(10), room.take(30)]).toEqual([null, 0, 10])
    expect([room.take(20), room.take(1)]).toEqual([80, null])
  })

  test('joins what is free on both sides of what is given back', () => {
    const room = openFreeSpace([], 90)
    for (let times = 0; times < 3; times++) room.take(30)
    room.give({ place: 0, bytes: 30 })
    room.give({ place: 60, bytes: 30 })
    expect(room.take(31)).toBeNull()
    room.give({ place: 30, bytes: 30 })
    expect(room.take(90)).toBe(0)
  })

  test('begins with what is left by others', () => {
    const taken = [
      { place: 50, bytes: 10 },
      { place: 0, bytes: 20 },
    ]
    const room = openFreeSpace(taken, 100)
    expect([room.take(30), room.take(41), room.take(40)]).toEqual([20, null, 60])
    expect(openFreeSpace(taken, 60).take(31)).toBeNull()
  })

  test('is never given out twice', () => {
    const chance = seededChance(1)
    const room = openFreeSpace([], 10_000)
    const taken: Extent[] = []
    for (let times = 0; times < 5_000; times++) {
      if (chance.fraction() < 0.45 && taken.length > 0) {
        room.give(taken.splice(chance.between(0, taken.length - 1), 1)[0] as Extent)
        continue
      }
      const bytes = chance.between(1, 400)
      const place = room.take(bytes)
      if (place === null) continue
      const isApart = taken.every(
        (one) => one.place + one.bytes <= place || place + bytes <= one.place,
      )
      expect(isApart && place + bytes <= 10_000).toBe(true)
      taken.push({ place, bytes })
    }
    for (const extent of taken) room.give(extent)
    expect(room.take(10_000)).toBe(0)
  })
})

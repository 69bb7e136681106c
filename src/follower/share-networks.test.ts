import { describe, expect, test } from 'bun:test'
import { type SharedNetwork, shareNetworks } from './share-networks.ts'

type Named = SharedNetwork & { name: string }

const FREE: SharedNetwork = {
  canFollow: true,
  followers: 2,
  isHeld: false,
  freeForMs: 0,
  isDeclined: false,
}
const HELD = { ...FREE, isHeld: true, freeForMs: null }
const ANOTHERS = { ...FREE, freeForMs: null }

function shared(...networks: SharedNetwork[]) {
  const all: Named[] = networks.map((one, at) => ({ ...one, name: 'abcdefgh'[at]! }))
  const shares = shareNetworks(all)
  const names = (some: readonly Named[]) => some.map(({ name }) => name).join('')
  return {
    renew: names(shares.renew),
    take: names(shares.take),
    takeExtra: names(shares.takeExtra),
    offer: names(shares.offer),
  }
}

const NOTHING = { renew: '', take: '', takeExtra: '', offer: '' }

describe('a process', () => {
  test('that is alone takes and keeps everything', () => {
    const alone = { followers: 1 }
    expect(shared({ ...FREE, ...alone }, { ...HELD, ...alone }, { ...FREE, ...alone })).toEqual({
      ...NOTHING,
      renew: 'b',
      take: 'ac',
    })
  })

  test('takes its share of what is free, rounded up', () => {
    expect(shared(FREE, FREE, FREE)).toEqual({ ...NOTHING, take: 'ab' })
    expect(shared(HELD, FREE, FREE)).toEqual({ ...NOTHING, renew: 'a', take: 'b' })
    expect(shared(HELD, HELD, FREE)).toEqual({ ...NOTHING, renew: 'ab' })
  })

  test('has its share of networks that three could follow, however many', () => {
    for (let count = 1; count <= 60; count++) {
      const networks = Array.from({ length: count }, () => ({ ...FREE, followers: 3 }))
      expect(shareNetworks(networks).take).toHaveLength(Math.ceil(count / 3))
    }
  })

  test('takes what nobody else took for a while, whatever it has', () => {
    const left = { ...FREE, freeForMs: 5_000 }
    expect(shared(HELD, HELD, left)).toEqual({ ...NOTHING, renew: 'ab', takeExtra: 'c' })
  })

  test('leaves alone what another has', () => {
    expect(shared(ANOTHERS, ANOTHERS)).toEqual(NOTHING)
  })

  test('offers what it has beyond its share, and no more', () => {
    expect(shared(HELD, HELD, HELD, HELD)).toEqual({ ...NOTHING, renew: 'cd', offer: 'ab' })
    expect(shared(HELD, HELD, ANOTHERS)).toEqual({ ...NOTHING, renew: 'ab' })
  })

  test('offers neither what only it could follow nor what nobody took', () => {
    const only = { ...HELD, followers: 1 }
    expect(shared(only, only, only)).toEqual({ ...NOTHING, renew: 'abc' })
    const kept = { ...HELD, isDeclined: true }
    expect(shared(kept, kept, HELD)).toEqual({ ...NOTHING, renew: 'ab', offer: 'c' })
  })

  test('whose nodes are silent takes nothing, and leaves what it has to others', () => {
    const silent = { canFollow: false, followers: 1 }
    expect(shared({ ...FREE, ...silent }, { ...HELD, ...silent })).toEqual({
      ...NOTHING,
      offer: 'b',
    })
  })

  test('takes and keeps what nobody is able to follow yet', () => {
    const unable = { canFollow: false, followers: 0 }
    expect(shared({ ...HELD, ...unable }, { ...FREE, ...unable })).toEqual({
      ...NOTHING,
      renew: 'a',
      take: 'b',
    })
  })

  test('that has no networks has nothing to do', () => {
    expect(shared()).toEqual(NOTHING)
  })
})

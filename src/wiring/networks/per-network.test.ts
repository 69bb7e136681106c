import { describe, expect, test } from 'bun:test'
import { quietTelemetry } from '../../../tests/support/basics/quiet-telemetry.ts'
import { settled } from '../../../tests/support/basics/test-clock.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { perNetwork } from './per-network.ts'

const evm = (id: string) => ({ network: { id, kind: 'evm' } }) as NetworkService
const solana = (id: string) => ({ network: { id, kind: 'solana' } }) as NetworkService

type Opened = { id: string; isClosed: boolean }

function stage(...first: NetworkService[]) {
  let served = first
  const hearers = new Set<() => void>()
  const telemetry = quietTelemetry()
  const on = {
    telemetry,
    hearers,
    opened: [] as Opened[],
    /** Networks that cannot be opened, or not be closed. */
    unopenable: new Set<string>(),
    unclosable: new Set<string>(),
    gate: Promise.resolve(),
    serve(...next: NetworkService[]) {
      served = next
      for (const hear of hearers) hear()
      return settled()
    },
    open: () => on.opened.filter(({ isClosed }) => !isClosed).map(({ id }) => id),
    start: async () => {
      const things = perNetwork<Opened>(
        telemetry,
        {
          list: () => served,
          subscribe(hear) {
            hearers.add(hear)
            return () => void hearers.delete(hear)
          },
        },
        {
          kind: 'evm',
          failedEvent: 'thing_unavailable',
          async open({ network: { id } }) {
            await on.gate
            if (on.unopenable.has(id)) throw new Error('cannot be opened')
            const one = { id, isClosed: false }
            on.opened.push(one)
            return one
          },
          async close(one) {
            await on.gate
            one.isClosed = true
            if (on.unclosable.has(one.id)) throw new Error('cannot be closed')
          },
        },
      )
      await settled()
      return things
    },
  }
  return on
}

describe('what runs once for each network', () => {
  test('runs for each network of its kind, and for no other', async () => {
    const on = stage(evm('A'), solana('S'), evm('B'))
    const things = await on.start()
    expect(on.open()).toEqual(['A', 'B'])
    expect(things.byId('A')?.id).toBe('A')
    expect(things.byId('S')).toBeNull()
  })

  test('goes on through a reload, but for networks that are new, changed or gone', async () => {
    const [a, b] = [evm('A'), evm('B')]
    const on = stage(a, b)
    const things = await on.start()
    const changed = evm('B')
    const unchanged = things.byId('A')
    await on.serve(a, changed, evm('C'))
    expect(things.byId('A')).toBe(unchanged)
    expect(things.of(b)).toBeNull()
    expect(things.of(changed)?.id).toBe('B')
    expect(on.open().sort()).toEqual(['A', 'B', 'C'])
    await on.serve()
    expect(on.open()).toEqual([])
  })

  test('opens none twice, however many reloads come while one is under way', async () => {
    const on = stage(evm('A'))
    const gate = Promise.withResolvers<void>()
    on.gate = gate.promise
    await on.start()
    const last = evm('A')
    await on.serve(evm('A'))
    await on.serve(evm('A'))
    await on.serve(last)
    gate.resolve()
    await settled()
    expect(on.open()).toEqual(['A'])
  })

  test('is without the network that cannot be opened, until a reload finds it well', async () => {
    const on = stage(evm('A'), evm('B'))
    on.unopenable.add('A')
    const things = await on.start()
    expect(on.open()).toEqual(['B'])
    expect(things.byId('A')).toBeNull()
    expect(on.telemetry.events).toEqual(['thing_unavailable'])
    on.unopenable.clear()
    await on.serve(evm('A'), evm('B'))
    expect(on.open().sort()).toEqual(['A', 'B'])
  })

  test('follows later reloads after one that could not be closed', async () => {
    const on = stage(evm('A'))
    on.unclosable.add('A')
    const things = await on.start()
    await on.serve(evm('A'))
    expect(on.telemetry.events).toEqual(['thing_unavailable'])
    await on.serve(evm('A'), evm('B'))
    expect(on.open().sort()).toEqual(['A', 'B'])
    await things.stop()
    expect(on.open()).toEqual([])
  })

  test('is all closed by a stop, with what was being opened, and hears no more reloads', async () => {
    const on = stage(evm('A'), evm('B'))
    const gate = Promise.withResolvers<void>()
    on.gate = gate.promise
    const things = await on.start()
    const stopped = things.stop()
    gate.resolve()
    await stopped
    expect(on.opened).toHaveLength(2)
    expect(on.open()).toEqual([])
    expect(on.hearers.size).toBe(0)
  })
})

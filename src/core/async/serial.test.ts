import { describe, expect, test } from 'bun:test'
import { settled } from '../../../tests/support/basics/test-clock.ts'
import { serial } from './serial.ts'

describe('serial work', () => {
  test('runs one piece at a time, in the order it was given', async () => {
    const run = serial()
    const steps: string[] = []
    const piece = (name: string) =>
      run(async () => {
        steps.push(`${name} begins`)
        await settled()
        steps.push(`${name} ends`)
        return name
      })
    expect(await Promise.all(['a', 'b', 'c'].map(piece))).toEqual(['a', 'b', 'c'])
    expect(steps.join()).toBe('a begins,a ends,b begins,b ends,c begins,c ends')
  })

  test('goes on after a piece that rejects, throws at once, or throws nothing', async () => {
    const run = serial()
    const ends = await Promise.allSettled([
      run(() => Promise.reject(new Error('rejects'))),
      run(() => {
        throw new Error('throws')
      }),
      run(() => Promise.reject()),
      run(() => 'still alive'),
    ])
    expect(ends.map(({ status }) => status).join()).toBe('rejected,rejected,rejected,fulfilled')
  })

  test('lets the next piece begin when one releases it early, and only one', async () => {
    const run = serial()
    const steps: string[] = []
    const first = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    const ends = [
      run(async (release) => {
        release()
        release()
        await first.promise
        steps.push('first ended')
      }),
      run(async () => {
        steps.push('second began')
        await second.promise
      }),
      run(() => void steps.push('third ran')),
    ]
    await settled()
    expect(steps).toEqual(['second began'])
    first.resolve()
    await settled()
    expect(steps).toEqual(['second began', 'first ended'])
    second.resolve()
    await Promise.all(ends)
    expect(steps.at(-1)).toBe('third ran')
  })

  test('never runs two pieces at once, whoever is added while another ends', async () => {
    const run = serial()
    let running = 0
    let most = 0
    const piece = async (depth: number): Promise<void> => {
      await run(async () => {
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
      })
      if (depth > 0) await Promise.all([piece(depth - 1), piece(depth - 1)])
    }
    await piece(6)
    expect(most).toBe(1)
  })

  test('refuses whoever comes when too many wait, and takes others again later', async () => {
    const run = serial(2, () => new Error('full'))
    const gate = Promise.withResolvers<void>()
    const inside = [run(() => gate.promise), run(() => 'second')]
    await expect(run(() => 'third')).rejects.toThrow('full')
    gate.resolve()
    await Promise.all(inside)
    expect(await run(() => 'fourth')).toBe('fourth')
  })
})

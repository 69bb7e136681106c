import { describe, expect, test } from 'bun:test'
import { settled } from '../../../tests/support/basics/test-clock.ts'
import { coalesced } from './coalesced.ts'

/** Work whose runs end on command, and what became of it. */
function stage() {
  const runs: PromiseWithResolvers<void>[] = []
  const failures: unknown[] = []
  const work = coalesced(
    () => {
      const run = Promise.withResolvers<void>()
      runs.push(run)
      return run.promise
    },
    (thrown) => void failures.push(thrown),
  )
  return { work, runs, failures }
}

describe('coalesced work', () => {
  test('begins at once', () => {
    const { work, runs } = stage()
    work.ask()
    expect(runs).toHaveLength(1)
  })

  test('runs once more for all who ask while it runs', async () => {
    const { work, runs } = stage()
    work.ask()
    for (let times = 0; times < 100; times++) work.ask()
    expect(runs).toHaveLength(1)
    runs[0]?.resolve()
    await settled()
    expect(runs).toHaveLength(2)
    runs[1]?.resolve()
    await work.idle()
    expect(runs).toHaveLength(2)
  })

  test('runs again when it is asked for after it ended, or in the moment it ends', async () => {
    const { work, runs } = stage()
    work.ask()
    const ended = runs[0]?.promise.then(() => work.ask())
    runs[0]?.resolve()
    await ended
    await settled()
    expect(runs).toHaveLength(2)
    runs[1]?.resolve()
    await work.idle()
    work.ask()
    expect(runs).toHaveLength(3)
  })

  test('tells of a run that fails, and runs again for those who asked meanwhile', async () => {
    const { work, runs, failures } = stage()
    work.ask()
    work.ask()
    runs[0]?.reject(new Error('the disk is full'))
    await settled()
    expect(failures).toEqual([new Error('the disk is full')])
    expect(runs).toHaveLength(2)
    runs[1]?.resolve()
    await work.idle()
  })

  test('survives work that throws instead of returning a promise', async () => {
    const failures: unknown[] = []
    const work = coalesced(
      () => {
        throw new Error('at once')
      },
      (thrown) => void failures.push(thrown),
    )
    work.ask()
    work.ask()
    await work.idle()
    expect(failures).toHaveLength(2)
  })

  test('may be asked for by itself without end, one run at a time', async () => {
    let runs = 0
    const work = coalesced(
      async () => {
        if (++runs < 10) work.ask()
      },
      () => {},
    )
    work.ask()
    await work.idle()
    expect(runs).toBe(10)
  })

  test('is idle at once when nothing runs, and not before the last run ended', async () => {
    const { work, runs } = stage()
    await work.idle()
    work.ask()
    work.ask()
    let isIdle = false
    void work.idle().then(() => {
      isIdle = true
    })
    runs[0]?.resolve()
    await settled()
    expect(isIdle).toBe(false)
    runs[1]?.resolve()
    await settled()
    expect(isIdle).toBe(true)
  })
})

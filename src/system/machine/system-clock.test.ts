import { describe, expect, setSystemTime, test } from 'bun:test'
import { systemClock } from './system-clock.ts'

const HOUR = 3_600_000

describe('the system clock', () => {
  const clock = systemClock()

  test('tells the time of the world, and durations that an adjusted wall clock cannot bend', () => {
    const before = clock.monotonicMs()
    setSystemTime(new Date('2001-02-03T04:05:06.789Z'))
    expect(clock.nowMs()).toBe(Date.UTC(2001, 1, 3, 4, 5, 6, 789))
    setSystemTime()
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(before)
  })

  test('calls once after a delay', async () => {
    const calls: string[] = []
    await new Promise<void>((resolve) => {
      clock.after(1, () => {
        calls.push('work')
        resolve()
      })
    })
    await clock.sleep(5)
    expect(calls).toEqual(['work'])
  })

  test('a cancelled call is never made', async () => {
    const calls: string[] = []
    clock.after(1, () => calls.push('cancelled'))()
    clock.every(1, () => calls.push('cancelled'))()
    await clock.sleep(10)
    expect(calls).toEqual([])
  })

  test('calls again and again until it is told to stop', async () => {
    let calls = 0
    await new Promise<void>((resolve) => {
      const stop = clock.every(1, () => {
        calls += 1
        if (calls === 3) {
          stop()
          resolve()
        }
      })
    })
    await clock.sleep(10)
    expect(calls).toBe(3)
  })

  test('a wait of more than 24 days does not end at once', async () => {
    let ended = false
    const cancel = clock.after(30 * 24 * HOUR, () => {
      ended = true
    })
    await clock.sleep(10)
    expect(ended).toBe(false)
    cancel()
  })

  test('refuses periods and sleeps that the runtime would turn into a busy loop', () => {
    expect(() => clock.every(0, () => {})).toThrow('broken invariant')
    expect(() => clock.every(Number.NaN, () => {})).toThrow('broken invariant')
    expect(() => clock.every(30 * 24 * HOUR, () => {})).toThrow('broken invariant')
    expect(() => clock.after(Number.NaN, () => {})).toThrow('broken invariant')
    expect(() => clock.after(Number.POSITIVE_INFINITY, () => {})).toThrow('broken invariant')
  })

  test('a process whose work is done ends although timers are armed', async () => {
    const program = `
      import { systemClock } from ${JSON.stringify(`${import.meta.dir}/system-clock.ts`)}
      systemClock().after(${HOUR}, () => {})
      systemClock().every(${HOUR}, () => {})
      console.log('done')`
    const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toBe('done\n')
    expect(await child.exited).toBe(0)
  })
})

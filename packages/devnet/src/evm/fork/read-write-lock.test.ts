import { describe, expect, test } from 'bun:test'
import { openReadWriteLock } from './read-write-lock.ts'

/** Work that ends on command, with a note of when it began and ended. */
function staged() {
  const lock = openReadWriteLock()
  const said: string[] = []
  const start = (kind: 'shared' | 'exclusive', name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = lock[kind](async () => {
      said.push(`${name} begins`)
      await promise
      said.push(`${name} ends`)
    })
    return async () => {
      resolve()
      await done
      await settled()
    }
  }
  return { lock, said, start }
}

/** All that can go on without anybody's help has gone on. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

describe('a lock for readers and writers', () => {
  test('lets readers in together, and a writer alone', async () => {
    const { said, start } = staged()
    const endFirst = start('shared', 'first')
    const endSecond = start('shared', 'second')
    const endWriter = start('exclusive', 'writer')
    await settled()
    expect(said).toEqual(['first begins', 'second begins'])
    await endFirst()
    expect(said).not.toContain('writer begins')
    await endSecond()
    expect(said.at(-1)).toBe('writer begins')
    await endWriter()
  })

  test('has a reader wait behind a writer that came before, so that no writer starves', async () => {
    const { said, start } = staged()
    const endFirst = start('shared', 'first')
    const endWriter = start('exclusive', 'writer')
    const endLate = start('shared', 'late')
    await settled()
    expect(said).toEqual(['first begins'])
    await endFirst()
    expect(said.slice(1)).toEqual(['first ends', 'writer begins'])
    await endWriter()
    expect(said.slice(3)).toEqual(['writer ends', 'late begins'])
    await endLate()
  })

  test('goes on after work that fails, which fails for its caller alone', async () => {
    const { lock } = staged()
    const failed = lock.exclusive(() => Promise.reject(new Error('no')))
    const next = lock.shared(async () => 'read')
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('read')
  })
})

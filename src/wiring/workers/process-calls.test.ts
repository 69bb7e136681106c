import { expect, test } from 'bun:test'
import { Failure } from '../../core/errors.ts'
import { openProcessCalls, type ProcessCalls } from './process-calls.ts'

type Echo = {
  add(a: number, b: number): number
  later(text: string): Promise<string>
  fail(): void
  crash(): void
}

/** Two processes, whose channel carries JSON. */
function openPair(functions: Partial<Echo>) {
  let sent = 0
  const there: ProcessCalls<Echo> = openProcessCalls<Echo>(
    (messages) => here.receive(JSON.parse(JSON.stringify(messages))),
    functions,
  )
  const here = openProcessCalls<Echo>((messages) => {
    sent++
    there.receive(JSON.parse(JSON.stringify(messages)))
  }, {})
  return { here, sent: () => sent }
}

test('a function of the other process answers, whenever it is done', async () => {
  const { here } = openPair({
    add: (a, b) => a + b,
    later: async (text) => `${text}!`,
  })
  expect(await Promise.all([here.call('later', 'a'), here.call('add', 1, 2)])).toEqual(['a!', 3])
})

test('calls of one turn travel together', async () => {
  const { here, sent } = openPair({ add: (a, b) => a + b })
  await Promise.all([here.call('add', 1, 1), here.call('add', 2, 2), here.call('add', 3, 3)])
  expect(sent()).toBe(1)
})

test('a failure arrives as the failure it was, and a bug as an error', async () => {
  const { here } = openPair({
    fail() {
      throw new Failure('database_unavailable')
    },
    crash() {
      throw new Error('broken')
    },
  })
  const failed = await here.call('fail').catch((thrown: unknown) => thrown)
  expect(failed).toBeInstanceOf(Failure)
  expect(failed).toMatchObject({ code: 'database_unavailable' })
  const crashed = await here.call('crash').catch((thrown: unknown) => thrown)
  expect(crashed).not.toBeInstanceOf(Failure)
  expect(crashed).toMatchObject({ message: 'broken' })
})

test('a call that waits fails when the other process is gone, and so do later ones', async () => {
  const { here } = openPair({ later: () => new Promise(() => {}) })
  const waiting = here.call('later', 'a').catch((thrown: unknown) => thrown)
  here.end()
  expect(await waiting).toMatchObject({ code: 'database_unavailable' })
  await expect(here.call('later', 'b')).rejects.toThrow('database_unavailable')
})

import { expect, test } from 'bun:test'

const CLOCK = `${import.meta.dir}/clock.ts`

test('a child whose last work never ends does end without its parent', async () => {
  const program = `
    import { liveWithParent } from ${JSON.stringify(`${import.meta.dir}/serve-child.ts`)}
    import { systemClock } from ${JSON.stringify(CLOCK)}
    liveWithParent(systemClock(), () => new Promise(() => {}))
    setInterval(() => {}, 1000)
    console.log('begun')`
  const child = Bun.spawn([process.execPath, '-e', program], { stdin: 'pipe', stdout: 'pipe' })
  await child.stdout.getReader().read()
  await child.stdin.end()
  expect(await child.exited).toBe(0)
})

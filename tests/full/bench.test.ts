import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const NUMBERS = [1, 2, 3, 4, 5, 17, 18, 6, 7, 8, 11, 12, 13, 14, 15, 9, 10, 16, 19, 20, 21]
const NAMES = [...NUMBERS.map((number) => `p${number}`), 'p1-workers', 'capacity', 'capacity-costs']

/** Without those for tests, such as that a server is absent, which the product would refuse. */
const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('HEADGATE_'))

const RUN = join(import.meta.dir, '../../bench/run.ts')

// One after the other: beside each other they leave too little of a small machine to the rest.
describe('a bench scenario', () => {
  test.each(NAMES)(
    'still runs, with tiny input: %s',
    async (scenario) => {
      const child = Bun.spawn([process.execPath, RUN, scenario, '--tiny'], {
        env: Object.fromEntries(variables),
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const text = await new Response(child.stdout).text()
      expect(await child.exited).toBe(0)
      expect(text).toContain(scenario.toUpperCase())
    },
    300_000,
  )
})

test('an unknown scenario is refused with the names of the known ones', async () => {
  const child = Bun.spawn([process.execPath, RUN, 'p99'], { stdout: 'pipe', stderr: 'pipe' })
  expect(await child.exited).toBe(2)
  expect(await new Response(child.stderr).text()).toContain(NAMES.join(', '))
})

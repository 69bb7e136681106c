import { readFileSync } from 'node:fs'
import { lacksPostgres } from '../tests/support/product/world.ts'

/** The first line of a test of the whole product that runs on both stores. */
const MARK = '// Runs on both stores.\n'

/** Tests of tables that run fewer cases in `npm test` import this. */
const SIZED = 'basics/sized.ts'

/** Each statement of a simulation takes a round trip here, so there are fewer seeds. */
const SEEDS = { HEADGATE_SEEDS: '50', HEADGATE_DELIVERY_SEEDS: '10' }

if (lacksPostgres()) process.exit(0)
const [, , ...given] = process.argv
const isFull = given.includes('--full')
const options = given.filter((one) => one !== '--full')
const files = isFull
  ? [
      ...filesOf('./tests/**/*.test.ts', (text) => text.startsWith(MARK)),
      ...filesOf('./src/tables/**/*.test.ts', (text) => text.includes(SIZED)),
    ]
  : []
const tests = Bun.spawn([process.execPath, 'test', ...options, ...files], {
  env: {
    ...process.env,
    ...SEEDS,
    HEADGATE_TEST_WORLD: 'postgres',
    ...(isFull && { HEADGATE_TEST_SIZE: 'full' }),
  },
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(await tests.exited)

function filesOf(pattern: string, isMeant: (text: string) => boolean): string[] {
  const found = [...new Bun.Glob(pattern).scanSync()]
  return found.filter((path) => isMeant(readFileSync(path, 'utf8'))).toSorted()
}

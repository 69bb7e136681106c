import { readFileSync } from 'node:fs'
import { lacksPostgres } from '../tests/support/product/world.ts'

/** The first line of a test of the whole product that runs on both stores. */
const MARK = '// Runs on both stores.\n'

/** Each statement of a simulation takes a round trip here, so there are fewer seeds. */
const SEEDS = { HEADGATE_SEEDS: '50', HEADGATE_DELIVERY_SEEDS: '10' }

if (lacksPostgres()) process.exit(0)
const [, , ...given] = process.argv
const options = given.filter((one) => one !== '--marked')
const marked = given.includes('--marked')
  ? [...new Bun.Glob('./tests/**/*.test.ts').scanSync()].filter((path) =>
      readFileSync(path, 'utf8').startsWith(MARK),
    )
  : []
const tests = Bun.spawn([process.execPath, 'test', ...options, ...marked.toSorted()], {
  env: { ...process.env, ...SEEDS, HEADGATE_TEST_WORLD: 'postgres' },
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(await tests.exited)

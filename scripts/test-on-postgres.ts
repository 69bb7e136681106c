import { lacksPostgres } from '../tests/support/world.ts'

/** All that behaves alike on both stores, once more with PostgreSQL as the store. */
const TESTS = ['tests/journeys', 'tests/simulation', 'src/tables']

/** Each statement of a simulation takes a round trip here, so there are fewer seeds. */
const SEEDS = { HEADGATE_SEEDS: '100', HEADGATE_DELIVERY_SEEDS: '20' }

if (lacksPostgres()) process.exit(0)
const [, , ...options] = process.argv
const tests = Bun.spawn([process.execPath, 'test', ...options, ...TESTS], {
  env: { ...SEEDS, ...process.env, HEADGATE_TEST_WORLD: 'postgres' },
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(await tests.exited)

import { lacksPostgres } from '../tests/support/world.ts'

/** All that behaves alike on both stores, once more with PostgreSQL as the store. */
const TESTS = ['tests/journeys', 'tests/simulation', 'src/tables']

/** Journeys about nodes, which ask nothing of the store but keys and usage; `--all` has them. */
const OF_NODES = [
  'upstream-',
  'solana-',
  'transaction-sends',
  'program-accounts',
  'long-node-errors',
]

/** Each statement of a simulation takes a round trip here, so there are fewer seeds. */
const SEEDS = { HEADGATE_SEEDS: '100', HEADGATE_DELIVERY_SEEDS: '20' }

if (lacksPostgres()) process.exit(0)
const [, , ...given] = process.argv
const options = given.filter((one) => one !== '--all')
const left = given.includes('--all') ? [] : OF_NODES
const ignored = left.map((name) => `--path-ignore-patterns=tests/journeys/${name}*`)
const tests = Bun.spawn([process.execPath, 'test', ...options, ...ignored, ...TESTS], {
  env: { ...SEEDS, ...process.env, HEADGATE_TEST_WORLD: 'postgres' },
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(await tests.exited)

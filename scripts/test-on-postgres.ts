import { lacksPostgres } from '../tests/support/world.ts'

/** All that behaves alike on both stores, once more with PostgreSQL as the store. */
const TESTS = ['tests/journeys', 'tests/simulation', 'src/tables']

/**
 * Journeys about calls, nodes and queries, which ask nothing of the store but keys and usage, or
 * nothing at all; `--all` has them.
 */
const OF_CALLS = [
  'access-',
  'command-line',
  'completion',
  'launcher',
  'doctor',
  'init',
  'upstream-',
  'websocket-binary',
  'websocket-chain',
  'websocket-clients',
  'websocket-libraries',
  'websocket-life',
  'solana-',
  'transaction-sends',
  'transaction-broadcasts',
  'quorum-reads',
  'program-accounts',
  'long-node-errors',
  'large-answers',
  'app-snippets',
  'block-reader',
  'cached-streams',
  'complete-logs',
  'cookbook',
  'devnet-',
  'evm-filters',
  'follower-beside-calls',
  'fuzzed-requests',
  'gateway-workers',
  'grafana-dashboard',
  'head-subscriptions',
  'hostile-calls',
  'http-edge',
  'inbox',
  'json-rpc-envelope',
  'json-rpc-urls',
  'manual',
  'many-connections',
  'monotonic-',
  'number-precision',
  'process-config',
  'process-start',
  'process-terminal',
  'production-install',
  'query-estimates',
  'response-',
  'single-flight',
  'slow-readers',
  'streamed-answers',
  'readme',
  'local-development',
]

/** Each statement of a simulation takes a round trip here, so there are fewer seeds. */
const SEEDS = { HEADGATE_SEEDS: '50', HEADGATE_DELIVERY_SEEDS: '10' }

if (lacksPostgres()) process.exit(0)
const [, , ...given] = process.argv
const options = given.filter((one) => one !== '--all')
const left = given.includes('--all') ? [] : OF_CALLS
const ignored = left.map((name) => `--path-ignore-patterns=tests/journeys/${name}*`)
const tests = Bun.spawn([process.execPath, 'test', ...options, ...ignored, ...TESTS], {
  env: { ...SEEDS, ...process.env, HEADGATE_TEST_WORLD: 'postgres' },
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(await tests.exited)

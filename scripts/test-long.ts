/** Tests that take long: whole processes, browsers, packages, guides, many servers. */
const FOLDERS = ['full', 'browser', 'cluster', 'guides', 'packaging', 'simulation']

/** Tests of `npm test` that run there at a small size. */
const LARGER = [
  'account-index-churn',
  'fuzzed-requests',
  'program-accounts-clients',
  'query-oracle',
  'solana-account-index',
]

const SIZES = {
  HEADGATE_SEEDS: '500',
  HEADGATE_DELIVERY_SEEDS: '100',
  HEADGATE_INDEX_SEEDS: '4',
  HEADGATE_SEEDS_QUERY: '150',
  HEADGATE_FUZZ_CASES: '10000',
  HEADGATE_TEST_ACCOUNTS: '50000',
}

const [, , ...options] = process.argv
const paths = [...FOLDERS.map((folder) => `tests/${folder}/`), ...LARGER]
const tests = Bun.spawnSync([process.execPath, 'test', ...options, ...paths], {
  env: { ...SIZES, ...process.env },
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(tests.exitCode)

import { readFileSync } from 'node:fs'

/** Tests that take long: whole processes, browsers, packages, guides, many servers. */
const FOLDERS = ['full', 'browser', 'cluster', 'guides', 'packaging']

/** Tests of `npm test` that run more cases here import this. */
const SIZED = 'basics/sized.ts'

const isSized = (path: string) => readFileSync(path, 'utf8').includes(SIZED)
const sized = [...new Bun.Glob('./{src,tests}/**/*.test.ts').scanSync()].filter(isSized)
const paths = [...FOLDERS.map((folder) => `tests/${folder}/`), ...sized.toSorted()]
const [, , ...options] = process.argv
const tests = Bun.spawnSync([process.execPath, 'test', ...options, ...paths], {
  env: { ...process.env, HEADGATE_TEST_SIZE: 'full' },
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(tests.exitCode)

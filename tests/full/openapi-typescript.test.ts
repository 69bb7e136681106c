import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { OpenApi } from '../../src/http/contract/open-api-document.ts'
import { managementApi } from '../management-api.ts'

/** Compiling takes a while on a busy machine. */
setDefaultTimeout(180_000)

const ROOT = new URL('../..', import.meta.url).pathname
const TSC = join(ROOT, 'node_modules/.bin/tsc')
const GENERATOR = join(
  dirname(Bun.resolveSync('openapi-typescript/package.json', join(ROOT, 'packages/generators'))),
  'bin/cli.js',
)

/** A program that compiles only if the types of requests and answers are useful. */
const PROGRAM = `
import type { components, operations, paths } from './api.ts'
type Schemas = components['schemas']
export const request: Schemas['RpcRequest'] = {
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_call',
  params: [{ to: '0x0' }, 'latest'],
}
export const isTruncated: Schemas['TestQueryResult']['truncated'] = Math.random() < 0.5
`

let folder: string
let document: OpenApi
let api: Awaited<ReturnType<typeof managementApi>>

beforeAll(async () => {
  api = await managementApi()
  folder = mkdtempSync(join(tmpdir(), 'openapi-typescript-'))
  const text = await (await fetch(`${api.url}/api/openapi.json`)).text()
  document = JSON.parse(text)
  writeFileSync(join(folder, 'openapi.json'), text)
})

afterAll(async () => {
  await api.close()
  rmSync(folder, { recursive: true, force: true })
})

test('openapi-typescript generates types that compile and have every call', () => {
  const generated = run(['node', GENERATOR, 'openapi.json', '--output', 'api.ts'])
  expect(generated).not.toMatch(/error|warn/i)
  writeFileSync(join(folder, 'program.ts'), PROGRAM + checks(document))
  const flags = '--noEmit --strict --exactOptionalPropertyTypes --allowImportingTsExtensions'
  expect(run([TSC, ...flags.split(' '), '--types', '', 'program.ts'])).toBe('')
})

/** Declarations that compile only if the generated types have these operations and no others. */
function checks({ paths }: OpenApi): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => ({ path, method, id })),
  )
  const ids = calls.map(({ id }) => `  ${id}: true,\n`)
  const matches = calls.map(
    ({ path, method, id }) =>
      `  paths['${path}']['${method}'] extends operations['${id}'] ? true : false,\n`,
  )
  return `
export const ids: Record<keyof operations, true> = {
${ids.join('')}}
export const matches: [
${matches.join('')}] = [${calls.map(() => 'true').join(', ')}]
`
}

/** The output of a command, errors included. */
function run(command: string[]): string {
  const { stdout, stderr } = Bun.spawnSync(command, { cwd: folder })
  return `${stdout}${stderr}`.trim()
}

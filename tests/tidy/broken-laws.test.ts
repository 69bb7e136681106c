// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code, looked at, not run.

import { describe, expect, test } from 'bun:test'
import * as form from './form-laws.ts'
import * as imports from './import-laws.ts'
import * as packages from './package-laws.ts'
import type { SourceFile } from './source-text.ts'

type Law = (files: readonly SourceFile[]) => string[]
type Case = readonly [title: string, law: Law, path: string, text: string]

/** Each of these breaks one law and must be caught. */
const BROKEN: readonly Case[] = [
  ['up', imports.importsGoDown, 'src/gateway/a.ts', "import { x } from '../http/x.ts'"],
  [
    'up for a type',
    imports.importsGoDown,
    'src/core/a.ts',
    "import type { X } from '../ports/x.ts'",
  ],
  [
    'up lazily',
    imports.importsGoDown,
    'src/http/a.ts',
    "await import('../wiring/embedded-drivers.ts')",
  ],
  ['sideways', imports.importsGoDown, 'src/gateway/a.ts', "import { x } from '../courier/x.ts'"],
  ['sideways below', imports.importsGoDown, 'src/tables/a.ts', "import '../upstream/x.ts'"],
  ['to a test', imports.importsGoDown, 'src/core/a.ts', "import { x } from './x.test.ts'"],
  ['out of the house', imports.importsGoDown, 'src/core/a.ts', "import '../../tests/x.ts'"],
  ['from an unknown room', imports.importsGoDown, 'src/attic/a.ts', "import '../core/x.ts'"],
  [
    'to an unknown room',
    imports.importsGoDown,
    'src/wiring/embedded-drivers.ts',
    "import '../attic/x.ts'",
  ],
  ['itself', imports.importsNeverCircle, 'src/core/a.ts', "import type { X } from './a.ts'"],
  [
    'an unreadable target',
    imports.importsAreReadable,
    'src/wiring/embedded-drivers.ts',
    'await import(name)',
  ],
  ['the world in core', imports.coreIsPure, 'src/core/a.ts', "import { readFile } from 'node:fs'"],
  ['a library in core', imports.coreIsPure, 'src/core/a.ts', "import { parse } from 'yaml'"],
  ['one by its prefix', imports.coreIsPure, 'src/core/a.ts', "import x from 'graphql-upload'"],
  ['a driver in http', imports.driversHaveOneUser, 'src/http/a.ts', "import '../system/x.ts'"],
  ['a driver in main', imports.driversHaveOneUser, 'src/main.ts', "import './embedded/x.ts'"],
  [
    'the house in a chain',
    imports.devnetStandsAlone,
    'packages/devnet/src/a.ts',
    "import '../../../src/core/x.ts'",
  ],
  [
    'its types in a chain',
    imports.devnetStandsAlone,
    'packages/devnet/src/a.test.ts',
    "import type { X } from '../../../src/core/x.ts'",
  ],
  ['a driver in the cli', imports.driversHaveOneUser, 'src/cli/a.ts', "import '../system/x.ts'"],
  [
    'the chain at once',
    imports.devnetLoadsLate,
    'src/wiring/local/start-local-chains.ts',
    "import { x } from '@headgate/devnet'",
  ],
  [
    'the chain elsewhere',
    imports.devnetLoadsLate,
    'src/http/a.ts',
    "await import('@headgate/devnet')",
  ],
  [
    'NATS at once',
    imports.driversHaveOneUser,
    'src/wiring/embedded-drivers.ts',
    "import { x } from '../cluster/x.ts'",
  ],
  ['our insides', imports.dashboardStandsApart, 'dashboard/a.tsx', "import '../src/core/x.ts'"],
  [
    'types of the contract',
    imports.dashboardStandsApart,
    'dashboard/a.tsx',
    "import type { X } from '../src/http/contract/contract.ts'",
  ],
  ['our insides', imports.clientStandsAlone, 'packages/client/src/a.ts', "import '../../x.ts'"],
  ['a dependency', imports.clientStandsAlone, 'packages/client/src/a.ts', "import 'ky'"],
  [
    'the dashboard',
    imports.dashboardStandsApart,
    'src/wiring/embedded-drivers.ts',
    "import '../../dashboard/main.tsx'",
  ],
  ['the time', form.wordsStayHome, 'src/core/a.ts', 'const now = Date.now()'],
  ['the time as a date', form.wordsStayHome, 'src/core/a.ts', 'const now = new Date( )'],
  ['the time without brackets', form.wordsStayHome, 'src/core/a.ts', 'const now = new Date'],
  ['a duration', form.wordsStayHome, 'src/http/a.ts', 'performance.now()'],
  ['a timer', form.wordsStayHome, 'src/courier/a.ts', 'setTimeout(work, 5)'],
  ['a hidden timer', form.wordsStayHome, 'src/courier/a.ts', 'AbortSignal.timeout(5)'],
  ['an interval', form.wordsStayHome, 'src/system/x.ts', 'globalThis.setInterval(work, 5)'],
  ['chance', form.wordsStayHome, 'src/core/a.ts', '`${Math.random()}`'],
  [
    'chance by name',
    form.wordsStayHome,
    'src/http/a.ts',
    "import { randomUUID } from 'node:crypto'",
  ],
  ['chance by bytes', form.wordsStayHome, 'src/http/a.ts', 'crypto.getRandomValues(bytes)'],
  ['outgoing HTTP', form.wordsStayHome, 'src/upstream/a.ts', 'await fetch(url)'],
  ['its older door', form.wordsStayHome, 'src/upstream/a.ts', "import https from 'node:https'"],
  ['an outgoing WebSocket', form.wordsStayHome, 'src/upstream/a.ts', 'new WebSocket(url)'],
  ['the environment', form.wordsStayHome, 'src/wiring/embedded-drivers.ts', 'process.env.HOME'],
  ['its other door', form.wordsStayHome, 'src/wiring/embedded-drivers.ts', 'Bun.env.HOME'],
  ['SQL', form.wordsStayHome, 'src/http/a.ts', 'db.query(sql`SELECT 1`)'],
  ['SQLite', form.wordsStayHome, 'src/tables/a.ts', "import { Database } from 'bun:sqlite'"],
  ['a long file', form.filesAreShort, 'src/core/a.ts', 'a\n'.repeat(301)],
  ['a long test', form.filesAreShort, 'src/core/a.test.ts', 'a\n'.repeat(301)],
  ['a wide line', form.linesAreShort, 'src/core/a.ts', `const a = 1 // ${'x'.repeat(87)}`],
  ['index', form.namesSaySomething, 'src/core/index.ts', ''],
  ['utils', form.namesSaySomething, 'src/core/utils.ts', ''],
  ['helpers of tests', form.namesSaySomething, 'tests/helpers.ts', ''],
  ['types', form.namesSaySomething, 'src/core/types.ts', ''],
  ['a test of common', form.namesSaySomething, 'src/core/common.test.ts', ''],
]

/** Each of these looks a little like a breach and is none. */
const KEPT: readonly Case[] = [
  ['down', imports.importsGoDown, 'src/http/a.ts', "import { x } from '../gateway/x.ts'"],
  ['in the room', imports.importsGoDown, 'src/core/rpc/a.ts', "import { x } from '../hex.ts'"],
  [
    'between the wiring',
    imports.importsGoDown,
    'src/main.ts',
    "import { x } from './wiring/embedded-drivers.ts'",
  ],
  [
    'from the cli',
    imports.importsGoDown,
    'src/cli/a.ts',
    "import { x } from '../config/config.ts'",
  ],
  [
    'the version',
    imports.importsGoDown,
    'src/wiring/embedded-drivers.ts',
    "import x from '../../package.json'",
  ],
  [
    'a test',
    imports.importsGoDown,
    'src/core/a.test.ts',
    "import { x } from '../wiring/embedded-drivers.ts'",
  ],
  ['a pure library', imports.coreIsPure, 'src/core/a.ts', "import x from '@noble/hashes/sha3.js'"],
  [
    'the one who may',
    imports.driversHaveOneUser,
    'src/wiring/embedded-drivers.ts',
    "import { x } from '../system/x.ts'",
  ],
  [
    'lazy',
    imports.devnetLoadsLate,
    'src/executable.ts',
    "await import('@headgate/devnet/evm-chain-process')",
  ],
  [
    'its type',
    imports.devnetLoadsLate,
    'src/http/a.ts',
    "import type { X } from '@headgate/devnet'",
  ],
  [
    'a neighbour of a chain',
    imports.devnetStandsAlone,
    'packages/devnet/src/solana/a.ts',
    "import { x } from '../clock.ts'",
  ],
  ['a neighbour', imports.driversHaveOneUser, 'src/system/a.ts', "import './b.ts'"],
  [
    'the client',
    imports.dashboardStandsApart,
    'dashboard/a.tsx',
    "import type { X } from '@headgate/client'\nimport './b.tsx'\nimport 'react'",
  ],
  [
    'a query of the cookbook',
    imports.dashboardStandsApart,
    'dashboard/a.ts',
    "import query from '../docs/cookbook/heartbeat.graphql' with { type: 'text' }",
  ],
  ['its own files', imports.clientStandsAlone, 'packages/client/src/a.ts', "import './b.ts'"],
  ['generated', form.filesAreShort, 'packages/client/src/generated/a.ts', 'a\n'.repeat(301)],
  ['the clock', form.wordsStayHome, 'src/system/machine/system-clock.ts', 'Date.now()'],
  ['a given date', form.wordsStayHome, 'src/core/a.ts', 'new Date(nowMs).toISOString()'],
  ['a handler', form.wordsStayHome, 'src/http/a.ts', 'Bun.serve({ fetch: answer })'],
  ['the way out', form.wordsStayHome, 'src/system/machine/web-sockets.ts', 'new WebSocket(url)'],
  ['its type', form.wordsStayHome, 'src/http/a.ts', 'let socket: WebSocket'],
  ['a longer word', form.wordsStayHome, 'src/http/a.ts', 'prefetch(url)'],
  ['a comment', form.wordsStayHome, 'src/core/a.ts', '// Date.now() stays outside.'],
  ['a text', form.wordsStayHome, 'src/core/a.ts', "const text = 'set process.env.HOME'"],
  ['a table', form.wordsStayHome, 'src/tables/a.ts', 'sql`SELECT 1`'],
  ['the dashboard', form.wordsStayHome, 'dashboard/a.tsx', 'await fetch(url)'],
  ['300 lines', form.filesAreShort, 'src/core/a.ts', 'a\n'.repeat(300)],
  ['100 columns', form.linesAreShort, 'src/core/a.ts', `const a = 1 // ${'x'.repeat(85)}`],
  ['a wide text', form.linesAreShort, 'src/core/a.ts', `const a = '${'x'.repeat(300)}'`],
  ['indexes', form.namesSaySomething, 'src/core/predicate-index.ts', ''],
]

describe('a law that is broken is caught', () => {
  test.each(BROKEN)('%s', (_title, law, path, text) => {
    const breaches = law([{ path, text }])
    expect(breaches).toHaveLength(1)
    expect(breaches[0]).toContain(path)
  })

  test('a circle of three, by types and lazily', () => {
    const circle = [
      { path: 'src/core/a.ts', text: "import { b } from './b.ts'" },
      { path: 'src/core/b.ts', text: "import type { C } from './rpc/c.ts'" },
      { path: 'src/core/rpc/c.ts', text: "await import('../a.ts')" },
    ]
    expect(imports.importsNeverCircle(circle)).toEqual([
      'a circle: src/core/a.ts → src/core/b.ts → src/core/rpc/c.ts → src/core/a.ts',
    ])
    expect(imports.importsNeverCircle(circle.slice(0, 2))).toEqual([])
  })

  test('a linter that does not measure', () => {
    const options = { maxLines: 60, skipBlankLines: false }
    const length = { level: 'error', options }
    const circles = { level: 'error', options: { ignoreTypes: false } }
    const breachesOf = (noExcessiveLinesPerFunction: unknown, noImportCycles: unknown) =>
      form.linterMeasuresFunctions(
        JSON.stringify({
          linter: {
            rules: { complexity: { noExcessiveLinesPerFunction }, suspicious: { noImportCycles } },
          },
        }),
      )
    expect(breachesOf(length, circles)).toEqual([])
    expect(breachesOf({ ...length, level: 'off' }, circles)).toHaveLength(1)
    for (const broken of [{ maxLines: 61 }, { skipBlankLines: true }]) {
      const changed = { ...length, options: { ...options, ...broken } }
      expect(breachesOf(changed, circles)).toHaveLength(1)
    }
    expect(breachesOf(length, { level: 'error' })).toHaveLength(1)
    expect(form.linterMeasuresFunctions('{}')).toHaveLength(4)
  })

  test.each(['^1.2.3', '~1.2.3', '1.2', 'latest', '*', '>=1.2.3', 'github:a/b', ''])(
    'a version that may move: %s',
    (version) => {
      const text = JSON.stringify({ devDependencies: { x: version, y: '1.2.3', z: '1.2.3-rc.1' } })
      expect(packages.versionsAreExact(text)).toHaveLength(1)
    },
  )

  test('a lock file that drops the chain or names a registry', () => {
    const lockOf = (entry: object) =>
      JSON.stringify({ packages: { 'node_modules/@nomicfoundation/edr-linux-x64-gnu': entry } })
    expect(packages.chainBinariesInstall(lockOf({ engines: { node: '>= 22' } }))).toHaveLength(1)
    expect(packages.chainBinariesInstall('{}')).toHaveLength(1)
    expect(packages.chainBinariesInstall(lockOf({}))).toEqual([])
    expect(packages.lockNamesNoRegistry(lockOf({ resolved: 'x' }))).toHaveLength(1)
    expect(packages.lockNamesNoRegistry(lockOf({}))).toEqual([])
  })

  test('a lock file that was made on one platform and forgot the others', () => {
    const tool = { version: '1.0.0', optionalDependencies: { 'tool-linux': '1.0.0' } }
    const binary = { version: '1.0.0', integrity: 'sha512-eA==', optional: true }
    const breachesOf = (packagesOfLock: object) =>
      packages.lockIsWhole(
        JSON.stringify({ packages: { 'node_modules/tool': tool, ...packagesOfLock } }),
      )
    expect(breachesOf({})).toEqual([
      'package-lock.json: tool-linux, which node_modules/tool names, is missing',
    ])
    expect(breachesOf({ 'node_modules/tool-linux': { version: '1.0.0' } })).toHaveLength(1)
    expect(breachesOf({ 'node_modules/tool-linux': { integrity: 'sha512-eA==' } })).toHaveLength(1)
    expect(breachesOf({ 'node_modules/other/node_modules/tool-linux': binary })).toHaveLength(1)
    expect(breachesOf({ 'node_modules/tool-linux': binary })).toEqual([])
    expect(breachesOf({ 'node_modules/tool/node_modules/tool-linux': binary })).toEqual([])
  })
})

describe('a law that is kept is not cried over', () => {
  test.each(KEPT)('%s', (_title, law, path, text) => {
    expect(law([{ path, text }])).toEqual([])
  })
})

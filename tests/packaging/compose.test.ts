import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { instructionsOf } from './emulated-image.ts'
import { optionFaults } from './option-faults.ts'

type ComposeService = {
  image: string
  build?: string
  profiles?: string[]
  environment?: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  volumes?: string[]
  ports?: string[]
  read_only?: boolean
  tmpfs?: string[]
  cap_drop?: string[]
  security_opt?: string[]
  stop_grace_period?: string
  healthcheck?: { test: string[] }
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TEXT = read('compose.yaml')
const SERVICES = parse(TEXT, { merge: true }).services as Record<string, ComposeService>
const OURS = Object.entries(SERVICES).filter(([, { image }]) => image.startsWith('headgate:'))

/** The variables of a compose.env that is filled in. */
const FILLED: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'f'.repeat(48),
  HEADGATE_SECRET: 'a'.repeat(64),
  HEADGATE_OPERATOR_TOKEN: 'b'.repeat(48),
  HEADGATE_NATS: 'nats://nats:4222',
}

const hasCompose = Bun.which('docker') !== null && docker(['compose', 'version']).exitCode === 0

describe.each(OURS)('the service %s', (_name, service) => {
  test('is the image of this version, built from this folder', () => {
    expect(service.image).toBe(`headgate:${packageJson.version}`)
    expect(service.build).toBe('.')
  })

  test('has options that the program knows', () => {
    const file = parse(read('headgate.example.yaml'))
    const environment = Object.entries(service.environment ?? {})
    const given = environment.map(([name, value]) => [name, filledIn(value, FILLED)])
    expect(optionFaults(file, Object.fromEntries(given))).toEqual([])
    const config = service.environment?.HEADGATE_CONFIG
    expect(service.volumes).toContain(`./headgate.yaml:${config}:ro`)
  })

  test('starts when PostgreSQL takes connections, and has the time to stop', () => {
    expect(service.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    expect(SERVICES.postgres?.healthcheck?.test).toContain('pg_isready')
    expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(10)
  })

  test('may do nothing but its work', () => {
    expect(service).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp:mode=1777'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  })
})

test('only this machine reaches it, at the port that the image exposes', () => {
  const exposed = instructionsOf(read('Dockerfile')).find(({ name }) => name === 'EXPOSE')?.text
  expect(SERVICES.headgate?.ports).toEqual([`127.0.0.1:8080:${exposed}`])
  for (const [name, { ports }] of Object.entries(SERVICES)) {
    if (name !== 'headgate') expect(ports).toBeUndefined()
  }
})

test('NATS and more couriers come on demand', () => {
  const profiles = Object.entries(SERVICES).map(([name, { profiles = [] }]) => [name, profiles])
  expect(Object.fromEntries(profiles)).toEqual({
    headgate: [],
    courier: ['couriers'],
    postgres: [],
    nats: ['nats'],
  })
  expect(filledIn(SERVICES.headgate?.environment?.HEADGATE_NATS ?? '', {})).toBe('')
})

test('every variable of the file stands in compose.env.example', () => {
  const used = [...TEXT.matchAll(/\$\{(\w+)/g)].map((found) => found[1])
  const offered = [...read('compose.env.example').matchAll(/^(\w+)=/gm)].map((found) => found[1])
  expect(new Set(offered)).toEqual(new Set(used))
})

test.skipIf(!hasCompose)('docker compose reads it (skipped where there is none)', () => {
  const { exitCode, stderr } = docker(['compose', '--profile', '*', 'config', '--quiet'])
  expect({ exitCode, stderr: `${stderr}` }).toEqual({ exitCode: 0, stderr: '' })
})

/** `${NAME:?}` and `${NAME:-}` as Compose fills them in. */
function filledIn(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+):([?-])\}/g, (_all, name: string, kind: string) => {
    const value = variables[name] ?? ''
    if (kind === '?' && value === '') throw new Error(`${name} is missing`)
    return value
  })
}

function docker(words: readonly string[]) {
  return Bun.spawnSync(['docker', ...words], { cwd: ROOT, env: { ...process.env, ...FILLED } })
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

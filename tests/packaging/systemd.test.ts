import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, 'deploy/systemd')
const UNIT = readFileSync(join(FOLDER, 'headgate.service'), 'utf8')

/** What systemd-analyze calls OK: tenths of its scale from 0, nothing to attack, to 10. */
const EXPOSURE_TENTHS_MAX = 20

describe('the unit', () => {
  test('restarts a program that failed, but not one whose configuration is wrong', () => {
    expect(UNIT).toContain('\nRestart=on-failure\n')
    // The exit codes stand in docs/operating.md.
    expect(UNIT).toContain('\nRestartPreventExitStatus=2\n')
  })

  test('reloads with the signal that the program listens to, and gives it time to stop', () => {
    expect(UNIT).toContain('\nExecReload=/bin/kill -HUP $MAINPID\n')
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(UNIT)?.[1])).toBeGreaterThan(10)
  })

  test('gives the runtime the room for requests that npm start gives it', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const [variable = ''] = /BUN_CONFIG_MAX_HTTP_REQUESTS=\d+/.exec(scripts.start) ?? []
    expect(UNIT).toContain(`\nEnvironment=${variable}\n`)
  })
})

describe.skipIf(Bun.which('systemd-analyze') === null)(
  'systemd-analyze (skipped where there is none)',
  () => {
    let folder = ''
    let file = ''

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'headgate-unit-'))
      file = join(folder, 'headgate.service')
      // It wants the program to exist, so another one stands in for it.
      writeFileSync(file, UNIT.replaceAll('/usr/local/bin/headgate', process.execPath))
    })

    afterAll(() => rmSync(folder, { recursive: true }))

    test('finds no fault', () => {
      const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', file])
      expect({ exitCode, stderr: `${stderr}` }).toEqual({ exitCode: 0, stderr: '' })
    })

    test('finds little that could be attacked', () => {
      const limit = `--threshold=${EXPOSURE_TENTHS_MAX}`
      const command = ['systemd-analyze', 'security', '--offline=true', limit, file]
      expect(Bun.spawnSync(command).exitCode).toBe(0)
    })
  },
)

test.skipIf(Bun.which('systemd-sysusers') === null)(
  'systemd-sysusers makes the user (skipped where there is none)',
  () => {
    const root = mkdtempSync(join(tmpdir(), 'headgate-users-'))
    mkdirSync(join(root, 'etc'))
    const users = join(FOLDER, 'headgate.sysusers.conf')
    const { exitCode } = Bun.spawnSync(['systemd-sysusers', `--root=${root}`, users])
    const made = readFileSync(join(root, 'etc/passwd'), 'utf8')
    rmSync(root, { recursive: true })
    expect(exitCode).toBe(0)
    expect(made).toMatch(/^headgate:x:\d+:\d+:Headgate:\/var\/lib\/headgate:\S+nologin$/m)
    expect(UNIT).toContain('\nUser=headgate\n')
  },
)

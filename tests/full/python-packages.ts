import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A virtual environment with the packages of `requirements.txt`. */
export type PythonPackages = { bin: string; remove(): void }

export const SCRIPTS = fileURLToPath(new URL('python/', import.meta.url))

/** The folder of a virtual environment, or `absent` if a run could not make one. */
const given = process.env.HEADGATE_TEST_PYTHON_PACKAGES

/**
 * Finds or installs the packages. Returns a reason if it cannot, and throws it on CI, where a
 * missing package must be announced with `HEADGATE_TEST_PYTHON_PACKAGES=absent`.
 */
export async function findPythonPackages(): Promise<PythonPackages | { missing: string }> {
  if (given === 'absent') return { missing: 'HEADGATE_TEST_PYTHON_PACKAGES is "absent"' }
  if (given !== undefined) return { bin: join(given, 'bin'), remove: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'headgate-python-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const missing = await install(folder)
  if (missing === null) return { bin: join(folder, 'bin'), remove }
  remove()
  if (process.env.CI) throw new Error(missing)
  return { missing }
}

/** Returns why the packages are not there; null if they are. */
async function install(folder: string): Promise<string | null> {
  const python = Bun.which('python3')
  if (python === null) return 'there is no python3'
  const made = await run([python, '-m', 'venv', folder])
  if (made.exitCode !== 0) return `python3 cannot make a virtual environment (${made.lastLine})`
  const pip = [join(folder, 'bin/pip'), 'install', '--quiet', '--requirement']
  const installed = await run([...pip, join(SCRIPTS, 'requirements.txt')])
  return installed.exitCode === 0 ? null : `pip cannot install the packages (${installed.lastLine})`
}

async function run(command: string[]): Promise<{ exitCode: number; lastLine: string }> {
  const { stdout, stderr, exited } = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const texts = await Promise.all([new Response(stdout).text(), new Response(stderr).text()])
  const lastLine = texts.join('').trim().split('\n').at(-1) ?? ''
  return { exitCode: await exited, lastLine }
}

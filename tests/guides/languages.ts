import { afterAll } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A language that the project has an example of a receiver in. */
export type Language = {
  name: string
  /** Why its example is not run here; null where it is. */
  missing: string | null
  /** The command that starts its receiver. */
  command(): string[]
}

const EXAMPLES = fileURLToPath(new URL('../../examples/receivers/', import.meta.url))

const python = Bun.which('python3')
const go = Bun.which('go')

/** Set by a run that has tried to fetch Python and could not, which it says. */
const isPythonSaidToBeAbsent = process.env.HEADGATE_TEST_PYTHON === 'absent'

/** On CI Python has to be there, unless it was said. Go is large, so it is used where it is. */
const LANGUAGES: readonly Language[] = [
  {
    name: 'TypeScript',
    missing: null,
    command: () => [process.execPath, join(EXAMPLES, 'typescript/receiver.ts')],
  },
  {
    name: 'Python',
    missing:
      python === null && (isPythonSaidToBeAbsent || !process.env.CI) ? 'there is no python3' : null,
    command: () => [python ?? 'python3', join(EXAMPLES, 'python/receiver.py')],
  },
  { name: 'Go', missing: go === null ? 'there is no go' : null, command: () => [builtGo()] },
]

/** The languages; what is compiled for a file of tests is gone after it. */
export function languages(): readonly Language[] {
  afterAll(removeBuilt)
  for (const { name, missing } of LANGUAGES) {
    if (missing !== null) console.warn(`The receiver in ${name} is not run: ${missing}.`)
  }
  return LANGUAGES
}

let built: string | undefined

function removeBuilt(): void {
  if (built !== undefined) rmSync(dirname(built), { recursive: true, force: true })
  built = undefined
}

/** The receiver in Go, compiled once. */
function builtGo(): string {
  if (built !== undefined) return built
  const folder = mkdtempSync(join(tmpdir(), 'headgate-go-'))
  const output = join(folder, 'receiver')
  const { status, stderr } = spawnSync(go ?? '', ['build', '-o', output, '.'], {
    cwd: join(EXAMPLES, 'go'),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  built = output
  return output
}

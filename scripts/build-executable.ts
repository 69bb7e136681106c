import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../package.json' with { type: 'json' }
// The command line is bundled with the client, whose types and routes are generated.
import './build-client.ts'
import { EXECUTABLE_TARGETS } from './executable-targets.ts'

/**
 * Builds the program as one file for each platform that is named, or for this one:
 *   npm run build:executable -- [--production] [--out FOLDER] [all | bun-linux-arm64 …]
 * For production it goes without the development chains.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url))

const NAMES = Object.keys(EXECUTABLE_TARGETS)

const HERE = `bun-${process.platform}-${process.arch}`

const BUNDLES = ['dist/dashboard.bundle', 'dist/docs.bundle']

/** The development chains are left out, and a start without a configuration says so. */
const WITHOUT_CHAINS = [
  ...['--external', '@headgate/devnet', '--external', '@headgate/devnet/*'],
  ...['--define', 'HEADGATE_PRODUCTION=true'],
]

/** How threads name their scripts: by the address of the file that starts them. */
const THREAD_SCRIPT = /new URL\('([^']+\.ts)', import\.meta\.url\)/g

main(process.argv.slice(2))

function main(given: string[]): void {
  const isProduction = given.includes('--production')
  const words = given.filter((word) => word !== '--production')
  const out = resolve(words[0] === '--out' ? (words.splice(0, 2)[1] ?? ROOT) : 'executables')
  const asked = words.length === 0 ? [HERE] : words[0] === 'all' ? NAMES : words
  const unknown = asked.filter((name) => !NAMES.includes(name))
  if (unknown.length > 0) {
    console.error(`The targets are ${NAMES.join(', ')} and all, not ${unknown}`)
    process.exit(2)
  }
  run(ROOT, [process.execPath, 'scripts/build-dashboard.ts'])
  const scratch = join(out, '.building')
  const lines = asked.map((target) => {
    rmSync(scratch, { recursive: true, force: true })
    mkdirSync(scratch, { recursive: true })
    const file = `headgate-${packageJson.version}-${target}`
    renameSync(build(target, scratch, isProduction), join(out, file))
    return `${sha256(join(out, file))}  ${file}\n`
  })
  rmSync(scratch, { recursive: true })
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''))
}

/** Beside the executable, the builder leaves maps of the sources that are in it already. */
function build(target: string, scratch: string, isProduction: boolean): string {
  const file = join(scratch, 'headgate')
  const isHere = target === HERE
  const home = isHere ? ROOT : installFor(target, scratch)
  const runtime = join(home, 'node_modules', EXECUTABLE_TARGETS[target]!.runtime, 'bin', 'bun')
  run(home, [
    ...[process.execPath, 'build', '--compile', '--sourcemap', '--no-compile-autoload-bunfig'],
    ...(isHere ? [] : ['--target', target, '--compile-executable-path', runtime]),
    ...(isProduction ? WITHOUT_CHAINS : []),
    // All scripts lie side by side in the executable, as they all have the main one's address.
    ...['--root', 'src', '--entry-naming', '[name].[ext]', '--outfile', file],
    ...['src/executable.ts', ...threadScripts()],
    // The pages of the dashboard and of the documentation, as they are.
    ...[...BUNDLES, '--loader', '.bundle:file', '--asset-naming', '[name].[ext]'],
  ])
  return file
}

/** The packages of another platform, the runtime among them, as the lock file has them. */
function installFor(target: string, home: string): string {
  const { os, cpu } = EXECUTABLE_TARGETS[target]!
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json']) {
    copyFileSync(join(ROOT, name), join(home, name))
  }
  for (const folder of ['src', 'packages']) {
    cpSync(join(ROOT, folder), join(home, folder), { recursive: true })
  }
  for (const bundle of BUNDLES) cpSync(join(ROOT, bundle), join(home, bundle))
  const platform = ['--os', os, '--cpu', cpu, '--libc', 'glibc']
  run(home, ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', ...platform])
  return home
}

/** The builder must be told of them, as nothing imports them. */
function threadScripts(): string[] {
  const sources = [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: ROOT })]
    .filter((path) => !path.endsWith('.test.ts'))
    .sort()
  const scripts = sources.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    return [...text.matchAll(THREAD_SCRIPT)].flatMap((found) => {
      const script = posix.join(posix.dirname(path), found[1] ?? '')
      // The executable's main file knows the scripts of processes.
      if (script.endsWith('-process.ts')) return []
      if (posix.dirname(script) === posix.dirname(path)) return [script]
      throw new Error(`${path} starts ${script}, which the executable has beside it`)
    })
  })
  const names = new Set(scripts.map((path) => posix.basename(path)))
  if (names.size < new Set(scripts).size) throw new Error(`two of ${scripts} have one name`)
  return [...new Set(scripts)]
}

function run(cwd: string, command: string[]): void {
  const { exitCode } = Bun.spawnSync(command, { cwd, stdout: 'inherit', stderr: 'inherit' })
  if (exitCode !== 0) process.exit(1)
}

function sha256(file: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')
}

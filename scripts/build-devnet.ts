import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BunPlugin } from 'bun'
import devnetPackage from '../packages/devnet/package.json' with { type: 'json' }
import * as errors from '../src/core/errors.ts'

/**
 * Builds the package of the development chains as it is published, with all of Headgate that it
 * uses inside:
 *   npm run build:devnet -- [--out FOLDER]
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const HOME = join(ROOT, 'packages', 'devnet')
const ERRORS = join(ROOT, 'src', 'core', 'errors.ts')

/** The scripts of the chains' processes lie beside the main one, under these names. */
const PROCESSES = { 'evm-chain-process': 'evm', 'solana-ledger-process': 'solana' }

/**
 * The errors that cross between Headgate and the package are of one class, that of Headgate: it
 * leaves its own where this looks for them.
 */
const SHARED_ERRORS: BunPlugin = {
  name: 'shared errors',
  setup(build) {
    build.onResolve({ filter: /core\/errors\.ts$|^\.\/errors\.ts$/ }, ({ path, importer }) => {
      if (importer.endsWith('shared-errors')) return { path: ERRORS }
      const isOurs = resolve(importer, '..', path) === ERRORS
      return isOurs ? { path: 'shared-errors', namespace: 'shared' } : undefined
    })
    build.onLoad({ filter: /^shared-errors$/, namespace: 'shared' }, () => ({
      loader: 'ts',
      contents: [
        `import * as own from ${JSON.stringify(ERRORS)}`,
        "const shared = globalThis[Symbol.for('headgate.errors')] ?? own",
        ...Object.keys(errors).map((name) => `export const ${name} = shared.${name}`),
      ].join('\n'),
    }))
  },
}

await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<void> {
  const out = resolve(words[0] === '--out' ? (words[1] ?? '') : join(HOME, 'dist'))
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  await bundle(out)
  pointToScripts(join(out, 'devnet.js'))
  const { name, version, description, license, type, dependencies } = devnetPackage
  const exports = Object.fromEntries(
    ['.', ...Object.keys(PROCESSES).map((script) => `./${script}`)].map((path) => {
      return [path, path === '.' ? './devnet.js' : `${path}.js`]
    }),
  )
  const published = { name, version, description, license, type, exports, dependencies }
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  cpSync(join(ROOT, 'LICENSE'), join(out, 'LICENSE'))
}

async function bundle(out: string): Promise<void> {
  const scripts = Object.entries(PROCESSES).map(([name, room]) => `${room}/${name}.ts`)
  const { success, logs } = await Bun.build({
    entrypoints: ['devnet.ts', ...scripts].map((path) => join(HOME, 'src', path)),
    outdir: out,
    target: 'bun',
    naming: '[name].[ext]',
    external: Object.keys(devnetPackage.dependencies),
    plugins: [SHARED_ERRORS],
  })
  if (success) return
  console.error(logs.join('\n'))
  process.exit(1)
}

/** They are started by the names that they have as sources. */
function pointToScripts(file: string): void {
  let text = readFileSync(file, 'utf8')
  for (const name of Object.keys(PROCESSES)) {
    const source = `./${name}.ts`
    if (!text.includes(source)) throw new Error(`nothing in ${file} starts ${source}`)
    text = text.replaceAll(source, `./${name}.js`)
  }
  writeFileSync(file, text)
}

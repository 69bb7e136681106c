import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import devnetPackage from '../packages/devnet/package.json' with { type: 'json' }

/**
 * Builds the package of the development chains as it is published:
 *   npm run build:devnet -- [--out FOLDER]
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const HOME = join(ROOT, 'packages', 'devnet')

/** The scripts of the chains' processes lie beside the main one, under these names. */
const PROCESSES = { 'evm-chain-process': 'evm', 'solana-ledger-process': 'solana' }

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

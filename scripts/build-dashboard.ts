import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Builds the pages of the dashboard into one file that the service reads when it starts:
 *   npm run build:dashboard [-- --if-stale]
 */

type BundledFile = { type: string; text: string }

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const SOURCE = join(ROOT, 'dashboard')
const CLIENT = join(ROOT, 'packages', 'client', 'src')
const BUNDLE = join(ROOT, 'dist', 'dashboard.bundle')

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  html: 'text/html; charset=utf-8',
}

/** A sluice: two posts, a beam, the raised gate, and the water below. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 26 26" fill="none" stroke="#0a8a70"
stroke-width="2.6" stroke-linecap="round"><path d="M4 22V6.5M22 22V6.5M2 6.5h22M10 6.5v8M16 6.5v8
M7.5 20.5c1.8-1.6 3.6-1.6 5.5 0s3.7 1.6 5.5 0"/></svg>`

const isAsked = !process.argv.includes('--if-stale') || isStale()
if (isAsked && !existsSync(join(ROOT, 'node_modules', 'preact'))) {
  console.error('The dashboard is not built: that takes the packages of `npm install`.')
} else if (isAsked) await build()

/** True when a source is newer than the bundle, or there is none. */
function isStale(): boolean {
  const builtAtMs = changedAtMs(BUNDLE)
  const sources = [SOURCE, CLIENT].flatMap((cwd) => [
    ...new Bun.Glob('**/*').scanSync({ cwd, absolute: true }),
  ])
  return [...sources, fileURLToPath(import.meta.url)].some((path) => changedAtMs(path) > builtAtMs)
}

function changedAtMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

async function build(): Promise<void> {
  const files = new Map<string, BundledFile>()
  const put = (name: string, text: string) => {
    const path = `/assets/${name}`
    files.set(path, { type: TYPES[name.split('.').at(-1) ?? ''] ?? '', text })
    return path
  }
  const hashed = (name: string, text: string) => {
    const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 8)
    return put(name.replace('.', `-${hash}.`), text)
  }
  const addresses = new Map([
    ['icon', hashed('icon.svg', ICON)],
    ['style', hashed('style.css', minifiedStyle(readFileSync(join(SOURCE, 'theme.css'), 'utf8')))],
  ])
  for (const [name, format] of [
    ['main', 'esm'],
    ['theme-before-paint', 'iife'],
  ] as const) {
    for (const output of await scriptsOf(name, format)) {
      const path = put(output.path.replace(/^\.\//, ''), await output.text())
      if (output.kind === 'entry-point') addresses.set(name, path)
    }
  }
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
  const filled = page.replace(/\{([a-z-]+)\}/g, (_, name) => addresses.get(name) ?? '')
  files.set('/', { type: TYPES.html ?? '', text: filled })
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  const unfinished = `${BUNDLE}.${process.pid}`
  writeFileSync(unfinished, JSON.stringify(Object.fromEntries(files)))
  renameSync(unfinished, BUNDLE)
}

async function scriptsOf(name: string, format: 'esm' | 'iife') {
  const entry = join(SOURCE, name === 'main' ? 'main.tsx' : `${name}.ts`)
  const built = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    // The client's sources, which are there without a build.
    conditions: ['bun'],
    format,
    splitting: format === 'esm',
    minify: true,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return built.outputs
}

/** Whitespace and comments go; the sheet is otherwise sent as it was written. */
function minifiedStyle(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .trim()
}

import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
// Pages are bundled with the client, whose types and routes are generated.
import './build-client.ts'
import { buildSite, type SiteFile } from './docs-site/build-site.ts'

/**
 * Builds the pages of the dashboard into one file that the service reads when it starts, and those
 * of the documentation into another, which it reads when somebody first asks for one:
 *   npm run build:dashboard [-- --if-stale]
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const SOURCE = join(ROOT, 'dashboard')
const CLIENT = join(ROOT, 'packages', 'client', 'src')
const BUNDLE = join(ROOT, 'dist', 'dashboard.bundle')
const DOCS_BUNDLE = join(ROOT, 'dist', 'docs.bundle')

/** The documentation is made of these, and of files that they link to. */
const DOCS_SOURCES =
  '{*.md,docs/**/*,scripts/docs-site/*,bench/README.md,packages/client/README.md}'

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  html: 'text/html; charset=utf-8',
}

/** The scripts that pages load by name. */
const ENTRIES = [
  ['main', 'main.tsx', 'esm'],
  ['docs', 'docs-site/docs-site.ts', 'esm'],
  ['theme-before-paint', 'theme-before-paint.ts', 'iife'],
] as const

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
  const builtAtMs = Math.min(changedAtMs(BUNDLE), changedAtMs(DOCS_BUNDLE))
  const pages = [SOURCE, CLIENT].flatMap((cwd) => [
    ...new Bun.Glob('**/*').scanSync({ cwd, absolute: true }),
  ])
  const docs = new Bun.Glob(DOCS_SOURCES).scanSync({ cwd: ROOT, absolute: true })
  const sources = [...pages, ...docs, fileURLToPath(import.meta.url)]
  return sources.some((path) => changedAtMs(path) > builtAtMs)
}

function changedAtMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

async function build(): Promise<void> {
  const files = new Map<string, SiteFile>()
  const put = (name: string, text: string) => {
    const path = `/assets/${name}`
    files.set(path, { type: TYPES[name.split('.').at(-1) ?? ''] ?? '', text })
    return path
  }
  const hashed = (name: string, text: string) => {
    const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 8)
    return put(name.replace('.', `-${hash}.`), text)
  }
  const style = (name: string) => minifiedStyle(readFileSync(join(SOURCE, name), 'utf8'))
  const addresses = new Map([
    ['icon', hashed('icon.svg', ICON)],
    ['style', hashed('style.css', style('theme.css'))],
    ['docs-style', hashed('docs-style.css', style('docs-site/docs-site.css'))],
  ])
  for (const [name, entry, format] of ENTRIES) {
    for (const output of await scriptsOf(entry, format)) {
      const path = put(output.path.replace(/^\.\//, ''), await output.text())
      if (output.kind === 'entry-point') addresses.set(name, path)
    }
  }
  const addressOf = (name: string) => addresses.get(name) ?? ''
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
  const filled = page.replace(/\{([a-z-]+)\}/g, (_, name) => addressOf(name))
  files.set('/', { type: TYPES.html ?? '', text: filled })
  mkdirSync(join(ROOT, 'dist'), { recursive: true })
  const site = buildSite(ROOT, addressOf)
  // The service reads the paths when it starts, and the rest when somebody wants to read.
  writeBundle(DOCS_BUNDLE, `${JSON.stringify([...site.keys()])}\n${textOf(site)}`)
  writeBundle(BUNDLE, textOf(files))
}

function textOf(files: ReadonlyMap<string, SiteFile>): string {
  return JSON.stringify(Object.fromEntries(files))
}

/** Whoever reads it meanwhile has the old one or the new one. */
function writeBundle(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text)
  renameSync(unfinished, file)
}

async function scriptsOf(entry: string, format: 'esm' | 'iife') {
  const built = await Bun.build({
    entrypoints: [join(SOURCE, entry)],
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

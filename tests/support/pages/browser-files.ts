import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A browser to run, and what its process needs in its environment to do so. */
export type BrowserFiles = { path: string; environment: Record<string, string> }

/** Where Debian and others put it, for machines that the npm package has no browser for. */
const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PACKAGE = join(ROOT, 'node_modules/@sparticuz/chromium/package.json')
const VERSION = JSON.parse(readFileSync(PACKAGE, 'utf8')).version
const UNPACKED = join(ROOT, 'node_modules/.cache', `chromium-${VERSION}`)

/** It unpacks into the temporary folder; its libraries only where it believes to be in Lambda. */
const UNPACK = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`

/** Null where there is none: the npm package has one for Linux on x64 only. */
export function findBrowser(): BrowserFiles | null {
  if (process.platform === 'linux' && process.arch === 'x64') return browserOfPackage()
  const path = INSTALLED.find((path) => existsSync(path))
  return path === undefined ? null : { path, environment: {} }
}

/** Machines with Node alone lack the libraries and fonts of a desktop; the package has both. */
function browserOfPackage(): BrowserFiles {
  if (!existsSync(UNPACKED)) unpack()
  const path = join(UNPACKED, 'chromium')
  const environment: Record<string, string> = {}
  if (!Bun.spawnSync([path, '--version'], { stderr: 'ignore' }).success) {
    environment.LD_LIBRARY_PATH = join(UNPACKED, 'al2023/lib')
  }
  if (!existsSync('/usr/share/fonts/truetype')) {
    environment.FONTCONFIG_FILE = join(UNPACKED, 'fonts.conf')
  }
  return { path, environment }
}

/** Test processes that start together each unpack; whoever is first puts its files in place. */
function unpack(): void {
  mkdirSync(dirname(UNPACKED), { recursive: true })
  const folder = mkdtempSync(`${UNPACKED}-`)
  try {
    const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: '22.x' }
    const child = Bun.spawnSync([process.execPath, '-e', UNPACK], { cwd: ROOT, env })
    if (!child.success) throw new Error(`the browser cannot be unpacked: ${child.stderr}`)
    const fonts = join(UNPACKED, 'fonts/fonts')
    const cache = join(UNPACKED, 'fonts-cache')
    const text = `<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>\n`
    writeFileSync(join(folder, 'fonts.conf'), `<?xml version="1.0"?>\n${text}`)
    renameSync(folder, UNPACKED)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    if (!existsSync(UNPACKED)) throw error
  }
}

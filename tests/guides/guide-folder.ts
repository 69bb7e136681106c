import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A clean folder with a checkout in it, and programs that stand in for the slow ones. */
export type GuideFolder = {
  /** The checkout: links to all of this one, but for what a start writes. */
  checkout: string
  /** For files of the test itself. */
  notes: string
  /** Where the programs are that come before those of the machine. */
  programs: string
  remove(): void
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A start or a build makes these; a clean checkout has none of them. */
const NOT_LINKED = new Set(['data', '.git', 'executables', 'headgate.yaml', 'headgate.toml'])

/**
 * npm and npx take seconds of CPU for each command. `npm ci`, `npm pack` and installing the tarball
 * are tested as they are in receiver-package.test.ts and production-install.test.ts.
 */
const PROGRAMS: Record<string, string> = {
  npx: `program=$1; shift
case $program in
  bun) exec '${process.execPath}' "$@" ;;
  headgate) exec '${process.execPath}' '${ROOT}src/main.ts' "$@" ;;
  *) echo "npx $program has no stand-in" >&2; exit 1 ;;
esac`,
  npm: `case "$*" in
  ci|'ci --omit=dev') test -d node_modules ;;
  start) exec '${process.execPath}' '${ROOT}src/main.ts' ;;
  'start -- '*) shift 2; exec '${process.execPath}' '${ROOT}src/main.ts' "$@" ;;
  pack) touch "headgate-$(node -p 'require("./package.json").version').tgz" ;;
  'install '*headgate-*.tgz)
    test -f "$2" && mkdir -p node_modules && ln -s "$(cd "$(dirname "$2")" && pwd)" node_modules/headgate ;;
  *) echo "npm $* has no stand-in" >&2; exit 1 ;;
esac`,
}

export function guideFolder(): GuideFolder {
  const home = mkdtempSync(join(tmpdir(), 'headgate-guide-'))
  const checkout = join(home, 'headgate')
  const notes = join(home, 'notes')
  const programs = join(home, 'programs')
  for (const folder of [checkout, notes, programs]) mkdirSync(folder)
  for (const name of readdirSync(ROOT)) {
    if (!NOT_LINKED.has(name)) symlinkSync(join(ROOT, name), join(checkout, name))
  }
  for (const [name, script] of Object.entries(PROGRAMS)) {
    const path = join(programs, name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
  }
  return { checkout, notes, programs, remove: () => rmSync(home, { recursive: true, force: true }) }
}

import { posix } from 'node:path'
import { houseFiles, isTest } from './import-laws.ts'
import { codeOf, columnsOf, importsOf, type SourceFile } from './source-text.ts'

type Reserved = { what: string; word: RegExp; homes: readonly string[] }

/** Words that may stand in one place only. */
const RESERVED: readonly Reserved[] = [
  {
    what: 'time',
    word: /\bDate\.now\b|\bnew Date(?!\s*\(\s*[^)\s])|\bperformance\.now\b|\bhrtime\b|\bnanoseconds\b/,
    // The receiver library imports nothing of ours, the clock neither.
    homes: [
      'src/system/machine/system-clock.ts',
      'src/receiver/verify-delivery.ts',
      'packages/devnet/src/clock.ts',
    ],
  },
  {
    what: 'timers',
    word: /\bsetTimeout\b|\bsetInterval\b|\bBun\.sleep|\bAbortSignal\.timeout\b/,
    homes: ['src/system/machine/system-clock.ts', 'packages/devnet/src/clock.ts'],
  },
  {
    what: 'chance',
    word: /\bMath\.random\b|\brandom(?:UUID\w*|Bytes|Int|FillSync)\b|\bgetRandomValues\b/,
    homes: ['src/system/machine/system-entropy.ts', 'packages/devnet/src/entropy.ts'],
  },
  { what: 'outgoing HTTP', word: /\bfetch\s*\(/, homes: ['src/system/outbound/outbound.ts'] },
  {
    what: 'outgoing WebSockets',
    word: /\bnew\s+(?:globalThis\.)?WebSocket\b/,
    homes: ['src/system/machine/web-sockets.ts'],
  },
  {
    what: 'the environment',
    word: /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/,
    homes: ['src/config/config.ts', 'src/config/process-environment.ts'],
  },
  { what: 'SQL', word: /\bsql`/, homes: ['src/tables/', 'src/ports/database.ts'] },
]

/** Modules that are another door to the same things. */
const RESERVED_MODULES: readonly { name: RegExp; homes: readonly string[] }[] = [
  { name: /^node:(?:http|https|http2)$/, homes: ['src/system/'] },
  { name: /^node:timers/, homes: ['src/system/machine/system-clock.ts'] },
  // A development chain keeps itself in a file of its own, in a process of its own.
  { name: /^bun:sqlite$/, homes: ['src/embedded/', 'packages/devnet/src/evm/archive/'] },
]

const FILE_LINES_MAX = 300
const LINE_COLUMNS_MAX = 100
const FOLDER_FILES_MAX = 25
const CRUMB_LINES_MAX = 40
const FUNCTION_LINES_MAX = 60

/** Written by a script and read by compilers: as long as the document that it is made of. */
const GENERATED = /^packages\/\w+\/src\/generated\//

/** Names that say nothing, so that everything ends up in them. */
const EMPTY_NAMES = /^(?:index|utils?|helpers?|types|common)$/

/** Law 6: time, chance, environment, each way out and SQL have one home each. */
export function wordsStayHome(files: readonly SourceFile[]): string[] {
  return houseFiles(files).flatMap(({ path, text }) => {
    const code = codeOf(text)
    const words = RESERVED.filter(({ homes }) => !homes.some((home) => path.startsWith(home)))
      .filter(({ word }) => word.test(code))
      .map(({ what, word }) => `${path} touches ${what}: ${code.match(word)?.[0]}`)
    const modules = importsOf(text).flatMap((found) =>
      RESERVED_MODULES.filter(({ name }) => name.test(found?.specifier ?? ''))
        .filter(({ homes }) => !homes.some((home) => path.startsWith(home)))
        .map(() => `${path} imports ${found?.specifier}`),
    )
    return [...words, ...modules]
  })
}

export function filesAreShort(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !GENERATED.test(path))
    .flatMap(({ path, text }) => {
      const lines = text.trimEnd().split('\n').length
      return lines > FILE_LINES_MAX ? [`${path} has ${lines} lines`] : []
    })
}

/** A folder with more files is hard to scan; a folder with a single file says nothing. */
export function foldersHoldAFew(files: readonly SourceFile[]): string[] {
  const listed = [...builtFiles(files), ...files.filter(({ path }) => path.startsWith('tests/'))]
  const folders = Map.groupBy(listed, ({ path }) => posix.dirname(path))
  const parents = new Set([...folders.keys()].flatMap(ancestorsOf))
  return [...folders].flatMap(([folder, { length }]) => {
    if (length > FOLDER_FILES_MAX) return [`${folder} has ${length} files`]
    return length === 1 && !parents.has(folder) ? [`${folder} holds a single file`] : []
  })
}

/**
 * A small file whose only importer is beside it belongs in that importer, if it fits. One that is
 * loaded lazily stays by itself.
 */
export function noCrumbs(files: readonly SourceFile[]): string[] {
  const built = builtFiles(files)
  const lines = new Map(built.map(({ path, text }) => [path, text.trimEnd().split('\n').length]))
  const importers = importersOf(built)
  return built.flatMap(({ path, text }) => {
    const [only, ...others] = importers.get(path) ?? []
    const count = lines.get(path) ?? 0
    if (only === undefined || others.length > 0 || count >= CRUMB_LINES_MAX) return []
    if (!/^export /m.test(text)) return []
    if (posix.dirname(only) !== posix.dirname(path)) return []
    const joined = count + (lines.get(only) ?? 0)
    return joined > FILE_LINES_MAX ? [] : [`${path} (${count} lines) belongs in ${only}`]
  })
}

function builtFiles(files: readonly SourceFile[]): SourceFile[] {
  const isBuilt = ({ path }: SourceFile) =>
    /^(?:src|dashboard|packages)\//.test(path) && !GENERATED.test(path) && !isTest(path)
  return files.filter(isBuilt)
}

function importersOf(files: readonly SourceFile[]): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>()
  for (const { path, text } of files) {
    for (const found of importsOf(text)) {
      if (!found?.specifier.startsWith('.') || found.kind === 'lazy') continue
      const target = posix.join(posix.dirname(path), found.specifier)
      importers.set(target, (importers.get(target) ?? new Set()).add(path))
    }
  }
  return importers
}

function ancestorsOf(folder: string): string[] {
  const parent = posix.dirname(folder)
  return parent === '.' ? [] : [parent, ...ancestorsOf(parent)]
}

export function linesAreShort(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    columnsOf(text).flatMap((columns, index) =>
      columns > LINE_COLUMNS_MAX ? [`${path}:${index + 1} has ${columns} columns`] : [],
    ),
  )
}

export function namesSaySomething(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => EMPTY_NAMES.test(path.replace(/^.*\//, '').replace(/\..*$/, '')))
    .map(({ path }) => `${path} has a name that says nothing`)
}

/** Functions are measured by the linter, so the law is that it does. */
export function linterMeasuresFunctions(biomeJson: string): string[] {
  const { rules = {} } = JSON.parse(biomeJson).linter ?? {}
  const length = rules.complexity?.noExcessiveLinesPerFunction
  const circles = rules.suspicious?.noImportCycles
  const breaches: string[] = []
  if (length?.level !== 'error') breaches.push('biome.json: function length is no error')
  if (length?.options?.maxLines !== FUNCTION_LINES_MAX) {
    breaches.push(`biome.json: a function has at most ${FUNCTION_LINES_MAX} lines`)
  }
  if (length?.options?.skipBlankLines !== false) {
    breaches.push('biome.json: blank lines count too')
  }
  if (circles?.level !== 'error' || circles.options?.ignoreTypes !== false) {
    breaches.push('biome.json: circles of types are no error')
  }
  return breaches
}

import { posix } from 'node:path'
import { type Import, importsOf, type SourceFile } from './source-text.ts'

type Link = { from: string; to: string; kind: Import['kind'] }

/** The floors of the house. What lies right under src/ belongs to the wiring. */
const FLOORS: Readonly<Record<string, number>> = {
  core: 0,
  ports: 1,
  // A receiving app that imports it must not get the house with it.
  receiver: 1,
  tables: 2,
  upstream: 2,
  embedded: 2,
  cluster: 2,
  system: 2,
  metering: 3,
  gateway: 4,
  accounts: 4,
  follower: 4,
  courier: 4,
  http: 5,
  cli: 6,
  config: 6,
  wiring: 6,
}

const DRIVER_ROOMS = new Set(['embedded', 'cluster', 'system'])

/** Rooms that cost their memory and their start only where they are used. */
const LAZY_ROOMS = new Set(['cluster'])

/** A process or thread of its own opens its drivers itself; elsewhere the wiring does. */
const DRIVERS_USERS = new Set([
  'src/wiring/cluster/cluster-drivers.ts',
  'src/wiring/cluster/cluster-store.ts',
  'src/executable.ts',
  'src/wiring/migrate-store.ts',
  'src/wiring/embedded-drivers.ts',
  'src/wiring/local/start-local-chains.ts',
  'src/wiring/store-thread.ts',
  'src/wiring/terminal-clock.ts',
  'src/wiring/worker/worker-drivers.ts',
])

const DEVNET_PACKAGE = '@headgate/devnet'
const DEVNET_HOME = 'packages/devnet/'
const DEVNET_SOURCES = `${DEVNET_HOME}src/`

/** The files that start the development chains; others know their types alone. */
const DEVNET_USERS = new Set(['src/executable.ts', 'src/wiring/local/start-local-chains.ts'])

/** Libraries without a clock, chance or the world. */
const PURE_LIBRARIES = ['@noble/curves', '@noble/hashes', '@scure/base', 'graphql']

const CLIENT_SOURCES = 'packages/client/src/'

/** The only file outside of src/ that the house reads: its own version stands there. */
const PACKAGE_FILE = 'package.json'

/** Law 1 and 2: imports go down, never up, never to a neighbour, never out of the house. */
export function importsGoDown(files: readonly SourceFile[]): string[] {
  return linksOf(sourceFiles(files)).flatMap(({ from, to }) => {
    if (to === PACKAGE_FILE) return []
    if (!to.startsWith('src/')) return [`${from} imports ${to}, which is outside of src/`]
    if (isTest(to)) return [`${from} imports the test ${to}`]
    const [room, target] = [roomOf(from), roomOf(to)]
    const [floor, below] = [FLOORS[room], FLOORS[target]]
    if (floor === undefined) return [`${from} is in a room without a floor`]
    if (below === undefined) return [`${from} imports ${to}, in a room without a floor`]
    if (below > floor) return [`${from} imports up: ${to}`]
    const wired = floor === FLOORS.wiring && below === floor
    if (below === floor && room !== target && !wired) return [`${from} imports sideways: ${to}`]
    return []
  })
}

/** Law 1: never in circles. Types and lazy imports count. */
export function importsNeverCircle(files: readonly SourceFile[]): string[] {
  const next = new Map<string, string[]>()
  for (const { from, to } of linksOf(houseFiles(files))) {
    next.set(from, [...(next.get(from) ?? []), to])
  }
  const done = new Set<string>()
  const breaches: string[] = []
  for (const start of next.keys()) visit(start, [])
  return breaches

  function visit(path: string, trail: readonly string[]): void {
    const met = trail.indexOf(path)
    if (met !== -1) {
      breaches.push(`a circle: ${[...trail.slice(met), path].join(' → ')}`)
      return
    }
    if (done.has(path)) return
    for (const target of next.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
}

/** Law 3: what is true regardless of the world needs nothing of it. */
export function coreIsPure(files: readonly SourceFile[]): string[] {
  return houseFiles(files)
    .filter(({ path }) => roomOf(path) === 'core')
    .flatMap(({ path, text }) =>
      importsOf(text)
        .map((found) => found?.specifier ?? '')
        .filter((name) => !name.startsWith('.'))
        .filter((name) => !PURE_LIBRARIES.some((pure) => `${name}/`.startsWith(`${pure}/`)))
        .map((name) => `${path} imports ${name}, which is not known to be pure`),
    )
}

/** Law 4: only one file knows which drivers we run on, and it loads the heavy ones when needed. */
export function driversHaveOneUser(files: readonly SourceFile[]): string[] {
  return linksOf(sourceFiles(files)).flatMap(({ from, to, kind }) => {
    const target = roomOf(to)
    if (!DRIVER_ROOMS.has(target) || roomOf(from) === target) return []
    if (!DRIVERS_USERS.has(from)) return [`${from} imports a driver: ${to}`]
    const heavy = LAZY_ROOMS.has(target) && kind === 'static'
    return heavy ? [`${from} imports ${to} at once instead of lazily`] : []
  })
}

/** The queries of the cookbook are text that the editor shows. */
const COOKBOOK = 'docs/cookbook/'

/** Law 5: the dashboard knows us by the client alone, as any app would; nothing knows it. */
export function dashboardStandsApart(files: readonly SourceFile[]): string[] {
  const ours = files.filter(({ path }) => path.startsWith('dashboard/') && !isTest(path))
  const outward = linksOf(ours)
    .filter(({ to }) => !to.startsWith('dashboard/') && !to.startsWith(COOKBOOK))
    .map(({ from, to }) => `${from} imports ${to}`)
  const inward = linksOf(houseFiles(files))
    .filter(({ to }) => to.startsWith('dashboard/'))
    .map(({ from, to }) => `${from} imports ${to}`)
  return [...outward, ...inward]
}

/** Law 5: the client is published by itself, so it needs nothing beside it. */
export function clientStandsAlone(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith(CLIENT_SOURCES))
    .flatMap(({ path, text }) =>
      importsOf(text).flatMap((found) => {
        const name = found?.specifier ?? ''
        const to = posix.join(posix.dirname(path), name)
        const isOwn = name.startsWith('.') && to.startsWith(CLIENT_SOURCES)
        return isOwn ? [] : [`${path} imports ${name}`]
      }),
    )
}

/** Law 5: the development chains are a package of their own: it imports nothing of the house. */
export function devnetStandsAlone(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith(DEVNET_SOURCES))
    .flatMap(({ path, text }) =>
      importsOf(text).flatMap((found) => {
        const name = found?.specifier ?? ''
        const to = posix.join(posix.dirname(path), name)
        const isOwn = !name.startsWith('.') || to.startsWith(DEVNET_HOME)
        // Its tests share the support of all tests.
        const isSupport = isTest(path) && !to.startsWith('src/')
        return isOwn || isSupport ? [] : [`${path} imports ${name}`]
      }),
    )
}

/** Law 5: a production installation lacks the chains, so they load only where they are started. */
export function devnetLoadsLate(files: readonly SourceFile[]): string[] {
  return sourceFiles(files).flatMap(({ path, text }) =>
    importsOf(text).flatMap((found) => {
      const { specifier = '', kind = 'type' } = found ?? {}
      if (specifier !== DEVNET_PACKAGE && !specifier.startsWith(`${DEVNET_PACKAGE}/`)) return []
      const mayLoad = kind === 'lazy' && DEVNET_USERS.has(path)
      return kind === 'type' || mayLoad ? [] : [`${path} loads ${specifier}`]
    }),
  )
}

/** An import whose target is computed cannot be checked, so there is none. */
export function importsAreReadable(files: readonly SourceFile[]): string[] {
  return houseFiles(files)
    .filter(({ text }) => importsOf(text).includes(null))
    .map(({ path }) => `${path} imports something that only shows when it runs`)
}

export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.startsWith('tests/') || path.startsWith('bench/')
}

/** The files that the laws of form bind: those of the house and of the development chains. */
export function houseFiles(files: readonly SourceFile[]): SourceFile[] {
  const ofChains = files.filter(({ path }) => path.startsWith(DEVNET_SOURCES) && !isTest(path))
  return [...sourceFiles(files), ...ofChains]
}

function sourceFiles(files: readonly SourceFile[]): SourceFile[] {
  return files.filter(({ path }) => path.startsWith('src/') && !isTest(path))
}

function linksOf(files: readonly SourceFile[]): Link[] {
  return files.flatMap(({ path, text }) =>
    importsOf(text).flatMap((found) => {
      if (found === null) return []
      const { specifier, kind } = found
      if (!specifier.startsWith('.')) return []
      const to = posix.join(posix.dirname(path), specifier)
      return [{ from: path, to, kind }]
    }),
  )
}

function roomOf(path: string): string {
  const [, room = '', inside] = path.split('/')
  return inside === undefined ? 'wiring' : room
}

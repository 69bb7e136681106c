const EXACT_VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const

/** A package of this repository, which has no other version than the one beside it. */
const OWN_PACKAGE = /^file:packages\/[a-z]+$/

/** Exact versions: the tested packages are the installed ones. */
export function versionsAreExact(packageJson: string): string[] {
  const manifest = JSON.parse(packageJson)
  return DEPENDENCY_FIELDS.flatMap((field) =>
    Object.entries<string>(manifest[field] ?? {})
      .filter(([, version]) => !EXACT_VERSION.test(version) && !OWN_PACKAGE.test(version))
      .map(([name, version]) => `package.json: ${name} is not one version but ${version}`),
  )
}

/**
 * npm drops an optional package without a word when its `engines` ask for a newer Node than the
 * one that runs npm. The development chain's binaries ask for Node 22 although Bun runs them,
 * so their entries in the lock file go without.
 */
export function chainBinariesInstall(packageLock: string): string[] {
  const entries = Object.entries<{ engines?: unknown }>(JSON.parse(packageLock).packages ?? {})
  const binaries = entries.filter(([path]) => path.includes('node_modules/@nomicfoundation/edr'))
  if (binaries.length === 0) return ['package-lock.json: the development chain is missing']
  return binaries
    .filter(([, { engines }]) => engines !== undefined)
    .map(([path]) => `package-lock.json: ${path} asks for engines`)
}

/** An address in the lock file would bind every installation to one registry. */
export function lockNamesNoRegistry(packageLock: string): string[] {
  return Object.entries<{ resolved?: unknown; link?: boolean }>(
    JSON.parse(packageLock).packages ?? {},
  )
    .filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
    .map(([path]) => `package-lock.json: ${path} is bound to an address`)
}

type LockEntry = {
  version?: string
  integrity?: string
  optionalDependencies?: Record<string, string>
}

/**
 * npm may leave the binaries of platforms that it does not run on out of a lock file. `npm ci`
 * then refuses it, and an installation elsewhere has tools without their binaries.
 */
export function lockIsWhole(packageLock: string): string[] {
  const entries: Record<string, LockEntry> = JSON.parse(packageLock).packages ?? {}
  return Object.entries(entries).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => {
        const found = nearestEntry(entries, path, name)
        return found?.version === undefined || found.integrity === undefined
      })
      .map((name) => `package-lock.json: ${name}, which ${path} names, is missing`),
  )
}

/** Looks where Node would: in the package's own folder, then in each one above it. */
function nearestEntry(
  entries: Record<string, LockEntry>,
  path: string,
  name: string,
): LockEntry | undefined {
  const own = entries[path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`]
  if (own !== undefined || path === '') return own
  const above = path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1))
  return nearestEntry(entries, above, name)
}

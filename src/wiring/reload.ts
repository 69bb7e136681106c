import type { Settings } from '../config/config.ts'
import type { Tier } from '../core/billing/plan.ts'
import type { Database } from '../ports/database.ts'
import { countTeamsByTier } from '../tables/accounts/teams.ts'
import type { NetworkSet } from './networks/network-set.ts'

/** Options that take effect without a restart: their users read them each time. */
const LIVE: ReadonlySet<string> = new Set([
  'networks',
  'prices',
  'cache.maxBytes',
  'cache.latestMaxAgeMs',
  'tiers',
  'demoKey',
  'limits.bodiesBytesMax',
  'limits.bodyMs',
  'limits.unreadBytesMax',
  'limits.unreadMs',
  'limits.appWebSocketsMax',
  'limits.subscriptionsMax',
  'webhooks.timeoutMs',
  'webhooks.retryDelaysMs',
  'programAccounts.pageLimit',
  'programAccounts.defaultEncoding',
  'programAccounts.scansMax',
  'programAccounts.spillBytesMax',
])

/** Not options, but what was made of them. */
const DERIVED: ReadonlySet<string> = new Set(['local', 'publicUrlGiven', 'locate'])

type Reloadable = {
  settings: Settings
  networks: NetworkSet
  drivers: { database: Database }
  reloaded(): Promise<void>
}

type Reloaded = { faults: string[]; needsRestart: string[] }

/**
 * Puts new settings into force between two requests, as far as they are live; faults leave
 * everything as it was.
 */
export async function reload(running: Reloadable, next: Settings): Promise<Reloaded> {
  const { settings: inForce, drivers } = running
  const missing = await missingTiers(drivers.database, next)
  if (missing.length > 0) return { faults: missing, needsRestart: [] }

  // Local development has networks of its own, which no file names.
  const networks = next.local ? inForce.networks : next.networks
  const faults = await running.networks.reload({ ...next, networks })
  if (faults.length > 0) return { faults, needsRestart: [] }

  const needsRestart = changedOptions(inForce, next).filter((name) => !LIVE.has(name))
  takeOver(inForce, { ...next, networks })
  await running.reloaded()
  return { faults: [], needsRestart }
}

/** A tier that teams are on must stay: without its limits they could do everything or nothing. */
export async function missingTiers(
  database: Database,
  { tiers, locateOption }: Pick<Settings, 'tiers' | 'locateOption'>,
): Promise<string[]> {
  const inUse = await countTeamsByTier(database)
  return inUse
    .filter(({ tier }) => !tiers.has(tier))
    .map(({ tier, teams }) => {
      const who = teams === 1 ? '1 team is' : `${teams} teams are`
      const where = locateOption('tiers')
      return `${where}: tiers.${tier} is missing, and ${who} on it; move them to another tier first`
    })
}

/** The names of all options whose values differ. Values are not told: some are secrets. */
function changedOptions(before: Settings, after: Settings): string[] {
  const [was, is] = [optionTexts(before), optionTexts(after)]
  // Made from the port of `listen` when it is not given.
  if (!before.publicUrlGiven && !after.publicUrlGiven) is.delete('publicUrl')
  if (!is.has('publicUrl')) was.delete('publicUrl')
  const names = new Set([...was.keys(), ...is.keys()])
  return [...names].filter((name) => was.get(name) !== is.get(name)).sort()
}

function optionTexts(settings: Settings): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [name, value] of Object.entries(settings)) {
    if (DERIVED.has(name) || LIVE.has(name) || typeof value === 'function') continue
    if (!isSection(name, value)) texts.set(name, JSON.stringify(value))
    else
      for (const [inner, set] of Object.entries(value))
        texts.set(`${name}.${inner}`, JSON.stringify(set))
  }
  return texts
}

function isSection(name: string, value: unknown): value is object {
  return name !== 'listen' && typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Settings that everybody in a process holds become the new ones, as far as they are live. */
export function takeOver(inForce: Settings, next: Settings): void {
  // Everybody holds this very map, and reads it each time; it is written here alone.
  const tiers = inForce.tiers as Map<string, Tier>
  tiers.clear()
  for (const [name, tier] of next.tiers) tiers.set(name, tier)
  for (const name of LIVE) {
    const [section, member] = name.split('.') as [keyof Settings, string?]
    const value = next[section]
    if (member !== undefined) {
      const live = { [member]: (value as Record<string, unknown>)[member] }
      Object.assign(inForce[section] as object, live)
    } else if (section !== 'tiers') Object.assign(inForce, { [section]: value })
  }
}

import type { UsagePoint } from '@headgate/client'
import { methodName } from '../../parts/text/method-name.ts'
import type { UsageGrouping } from './usage-view.ts'

export type UsageGroup = { id: string; cu: number; calls: number; bytes: number }

/** The colour of the last series is for all that have none of their own. */
const COLOURS = 6

/** Deliveries stand in the ledger as a method of this name. */
const DELIVERIES = 'webhook'

/** The groups, those with the most compute units first. */
export function sumGroups(points: readonly UsagePoint[]): UsageGroup[] {
  const groups = [...Map.groupBy(points, ({ group }) => group ?? '')]
  return groups
    .map(([id, own]) => sumOf(id, own))
    .toSorted((a, b) => b.cu - a.cu || b.calls - a.calls)
}

export function sumOf(id: string, parts: readonly Omit<UsageGroup, 'id'>[]): UsageGroup {
  const total = { id, cu: 0, calls: 0, bytes: 0 }
  for (const { cu, calls, bytes } of parts) {
    total.cu += cu
    total.calls += calls
    total.bytes += bytes
  }
  return total
}

/** How many groups have a colour of their own; the others share one. */
export function ownColours(count: number): number {
  return count <= COLOURS ? count : COLOURS - 1
}

/** The name of a group, and whether that is a word of code. */
export function groupName(
  id: string,
  by: UsageGrouping,
  apps: ReadonlyMap<string, string>,
): { text: string; isCode: boolean } {
  if (by === 'app') {
    const name = apps.get(id)
    return { text: id === '' ? 'Webhooks, no app' : (name ?? id), isCode: !name && id !== '' }
  }
  if (by === 'method' && id === DELIVERIES) return { text: 'Webhook deliveries', isCode: false }
  return by === 'method' ? methodName(id) : { text: id, isCode: true }
}

import type { WireUsagePoint } from '../../api/wire.ts'
import { methodName } from '../../parts/text/method-name.ts'
import type { UsageGrouping } from './usage-view.ts'

export type UsageGroup = { id: string; cu: number; calls: number; bytes: number }

/** The colour of the last series is for all that have none of their own. */
const COLOURS = 6

/** Deliveries stand in the ledger as a method of this name. */
const DELIVERIES = 'webhook'

/** The groups, those with the most compute units first. */
export function sumGroups(points: readonly WireUsagePoint[]): UsageGroup[] {
  const groups = new Map<string, UsageGroup>()
  for (const point of points) {
    const id = point.group ?? ''
    const sum = groups.get(id) ?? { id, cu: 0, calls: 0, bytes: 0 }
    groups.set(id, {
      id,
      cu: sum.cu + point.cu,
      calls: sum.calls + point.calls,
      bytes: sum.bytes + point.bytes,
    })
  }
  return [...groups.values()].toSorted((a, b) => b.cu - a.cu || b.calls - a.calls)
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

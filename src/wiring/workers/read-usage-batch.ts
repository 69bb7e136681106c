import { isJsonObject } from '../../core/json/json-value.ts'
import { TIME_BUCKETS } from '../../core/rpc/call-times.ts'
import type { FigureRow } from '../../tables/usage/call-stats.ts'
import type { SpendRow } from '../../tables/usage/upstream-spend.ts'
import type { UsageBatch, UsageRow } from '../../tables/usage/usage.ts'

const SPLITS: readonly string[] = [
  'method',
  'status',
  'upstream',
  'node',
] satisfies FigureRow['split'][]

/** The usage in a message of a worker; null where it is none. */
export function readUsageBatch(value: unknown): UsageBatch | null {
  if (!isJsonObject(value)) return null
  const { writer, sequence, atMs, rows, figures = [], spends = [] } = value
  if (!isText(writer) || !isWhole(sequence) || !isWhole(atMs)) return null
  if (!Array.isArray(rows) || !rows.every(isUsage)) return null
  if (!Array.isArray(figures) || !figures.every(isFigure)) return null
  if (!Array.isArray(spends) || !spends.every(isSpend)) return null
  return { writer, sequence, atMs, rows, figures, spends }
}

function isUsage(value: unknown): value is UsageRow {
  if (!isJsonObject(value)) return false
  const { teamId, appId, network, method, hourMs, calls, centiCu, bytes } = value
  const areTexts = [teamId, appId, network, method].every(isText)
  return areTexts && [hourMs, calls, centiCu, bytes].every(isWhole)
}

function isFigure(value: unknown): value is FigureRow {
  if (!isJsonObject(value)) return false
  const { teamId, appId, network, split, name, minuteMs, times } = value
  const { calls, errors, nodeErrors, cached, coalesced, centiCu } = value
  const areTexts = [teamId, appId, network, name].every(isText)
  const areTimes = Array.isArray(times) && times.length === TIME_BUCKETS && times.every(isWhole)
  const counts = [minuteMs, calls, errors, nodeErrors, cached, coalesced, centiCu]
  return areTexts && areTimes && counts.every(isWhole) && SPLITS.some((word) => word === split)
}

function isSpend(value: unknown): value is SpendRow {
  if (!isJsonObject(value)) return false
  const { account, network, upstream, periodStartMs, requests, credits } = value
  const areTexts = [account, network, upstream].every(isText)
  return areTexts && [periodStartMs, requests, credits].every(isWhole)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

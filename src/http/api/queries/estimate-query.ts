import { cuOf } from '../../../core/billing/plan.ts'
import { wholeShare } from '../../../core/billing/whole-share.ts'
import { deliveryPriceCentiCu } from '../../../core/delivery/delivery-price.ts'
import { Rejection } from '../../../core/errors.ts'
import {
  type BlockSample,
  ESTIMATE_BLOCKS_AT_ONCE,
  estimateQuery as estimate,
  type QueryEstimate,
} from '../../../follower/estimate-query.ts'
import type { WireMonthEstimate, WireQueryEstimate } from '../../contract/query-checks.ts'
import type { Handler } from '../calls/handler.ts'
import { readAskedQuery } from './asked-query.ts'
import type { KeepPlace } from './dry-run-limiter.ts'

/** The time from one block to the next, as a fraction of whole numbers. */
type BlockTime = { ms: number; blocks: number }

const SIZE = { atOnce: ESTIMATE_BLOCKS_AT_ONCE, inAll: 10 }

const MONTH_MS = 30 * 24 * 3_600_000

export const estimateQuery: Handler<'estimateQuery'> = (api, call) => {
  const teamId = call.team.id
  const { graphql_query: given, blocks } = call.body
  const work = async (keep: KeepPlace) => {
    const query = await readAskedQuery(api, teamId, call.body)
    if (query instanceof Rejection) return query

    const { service, plan } = query
    const made = await estimate(api, service, { teamId, plan }, blocks, keep)
    if (made instanceof Rejection) return made

    const skipsEmpty = typeof given === 'object' && given.skip_empty_messages
    return { data: { network: service.network.id, ...figures(service.network, made, skipsEmpty) } }
  }
  return api.limits.dryRuns.run(teamId, work, SIZE)
}

function figures(
  { blockTimeMs }: { blockTimeMs: number },
  { samples, spanMs, missingVariables }: QueryEstimate,
  skipsEmpty: boolean,
): Omit<WireQueryEstimate, 'network'> {
  const delivered = skipsEmpty ? samples.filter(({ empty }) => !empty) : samples
  const sizes = delivered.map(({ bodyBytes }) => bodyBytes)
  const bytes = sum(sizes)
  const time: BlockTime =
    samples.length > 1 && spanMs > 0
      ? { ms: spanMs, blocks: samples.length - 1 }
      : { ms: blockTimeMs, blocks: 1 }
  return {
    from_block: samples[0]?.number ?? 0,
    to_block: samples.at(-1)?.number ?? 0,
    blocks: samples.length,
    delivered: delivered.length,
    empty: samples.filter(({ empty }) => empty).length,
    bytes,
    cu: cuOf(deliveryPriceCentiCu(bytes)),
    largest_bytes: Math.max(0, ...sizes),
    block_time_ms: Math.max(1, Math.round(time.ms / time.blocks)),
    month: inMonth(delivered, samples.length, time),
    month_every_block: inMonth(samples, samples.length, time),
    sample: samples.map(({ number, bodyBytes, matched, empty }) => {
      return { number, bytes: bodyBytes, matched, empty }
    }),
    ...(missingVariables.length > 0 && { variables: missingVariables }),
  }
}

/** The same deliveries for as many blocks as 30 days have. */
function inMonth(
  delivered: readonly BlockSample[],
  blocks: number,
  time: BlockTime,
): WireMonthEstimate {
  const ofMonth = (value: number) => wholeShare(value, MONTH_MS * time.blocks, blocks * time.ms)
  const bytes = sum(delivered.map(({ bodyBytes }) => bodyBytes))
  return {
    deliveries: ofMonth(delivered.length),
    bytes: ofMonth(bytes),
    cu: cuOf(ofMonth(deliveryPriceCentiCu(bytes))),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

import type { Life } from '../../process-life.ts'
import { complain, type DeliveryRun, latestWall, wallOf } from '../delivery-run.ts'
import type { ChangeOf } from '../journal-changes.ts'
import { isOwn } from '../owners.ts'

/**
 * Judges a change of who owns what, before it is entered: nobody takes what another holds by a
 * lease that has not lapsed, and no token ever counts for two lives.
 */
export function judgeOwner(
  run: DeliveryRun,
  life: Life,
  change: ChangeOf<'couriers'> | ChangeOf<'shards'>,
): void {
  const fault =
    change.table === 'couriers' ? leaseFault(run, life, change) : shardFault(run, life, change)
  if (fault) complain(run, `${life.name} ${fault}`)
}

function leaseFault(
  run: DeliveryRun,
  life: Life,
  { old, now }: ChangeOf<'couriers'>,
): string | null {
  const { leases, tokens } = run.book.owners
  const courier = (now ?? old)?.courier ?? ''
  const isMine = isOwn(courier, life.name)
  const hasLapsed = old !== null && old.until_ms <= latestWall(run, life)
  if (now && old?.token === now.token) {
    const holder = leases.get(courier)?.life
    return holder === life.name ? null : `renews the lease of ${courier}, which ${holder} has`
  }
  if (now && now.token <= (tokens.get(courier) ?? 0)) {
    return `gives ${courier} the token ${now.token} again`
  }
  if (!now && isMine && leases.get(courier)?.life !== life.name) {
    return `ends the lease of ${courier}, which is not its own any more`
  }
  if (!isMine && !hasLapsed) return `fences ${courier}, whose lease has not lapsed`
  const leaves = isMine && now && now.until_ms <= wallOf(run, life.name)
  const what = leaves ? 'leaves as' : isMine ? 'joins as' : 'fences'
  if (now) run.trace.note(life.name, what, courier, now.token)
  return null
}

function shardFault(run: DeliveryRun, life: Life, { old, now }: ChangeOf<'shards'>): string | null {
  const { leases } = run.book.owners
  const [before, after] = [old?.courier ?? null, now?.courier ?? null]
  if (before === after) return null
  const shard = now?.shard ?? old?.shard
  if (after !== null && leases.get(after)?.life !== life.name) {
    return `gives shard ${shard} to ${after}, whose token it has not`
  }
  if (before === null || isOwn(before, life.name)) return null
  // Whoever takes it from another has fenced that one in the same transaction.
  const holder = leases.get(before)
  return holder?.life == null
    ? null
    : `takes shard ${shard} from ${before}, which ${holder.life} is`
}

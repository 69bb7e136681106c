import { monthEndMs, monthIsFull, monthOf, type Team, type Tier } from '../core/billing/plan.ts'
import {
  burstCu,
  deductFromBucket,
  fullBucket,
  returnToBucket,
  type TokenBucket,
  takeFromBucket,
} from '../core/billing/token-bucket.ts'
import { capacityMessage } from '../core/delivery/envelope.ts'
import { assert, Rejection } from '../core/errors.ts'
import type { Method } from '../core/rpc/method-registry.ts'
import { openTwoGenerationMap, type TwoGenerationMap } from '../core/two-generation-map.ts'
import type { Clock } from '../ports/clock.ts'
import type { World } from '../ports/world.ts'
import { teamMonthCentiCu, teamsMonthCentiCu } from '../tables/usage/usage.ts'
import type { LimitExchange, ReceiveTaken } from './limit-exchange.ts'
import type { TeamAccount } from './team-account.ts'
import {
  forgetWritten,
  noteUseElsewhere,
  noUseElsewhere,
  type UseElsewhere,
} from './use-elsewhere.ts'

/** A tier taken out of the configuration must not set its teams free. */
const NO_TIER = {
  monthlyCu: 0,
  cuPerSecond: 1,
  paid: false,
  webhooksMax: 0,
  variableItemsMax: 0,
  undeliveredBytesMax: 0,
}

type Rules = {
  tiers: ReadonlyMap<string, Tier>
  publicUrl: string
  /** Null where no other process spends. */
  exchange: LimitExchange | null
}

export type SpendGuard = ReturnType<typeof openSpendGuard>

/** A team that others told of and that nobody has called as here yet. */
type Heard = { bucket: TokenBucket | null; elsewhere: UseElsewhere }

type Teams = { accounts: Map<string, TeamAccount>; heard: TwoGenerationMap<string, Heard> }

/** A team that has been silent this long is not read; its first call afterwards does that. */
const IDLE_MS_MAX = 600_000
const ACCOUNTS_READ_AT_ONCE_MAX = 5000

/** In each of two generations; a bucket that is forgotten begins full. */
const HEARD_MAX = 50_000

/** Tells the limits of teams from those of others. */
const KEY_PREFIX = 'team '

export function openSpendGuard(world: World, rules: Rules) {
  // Bounded by the teams there are. None is forgotten: the directory holds on to accounts, and a
  // second one for the same team would be a second allowance.
  const accounts = new Map<string, TeamAccount>()
  const heard = openTwoGenerationMap<string, Heard>({ weightMax: HEARD_MAX })
  const { clock, database } = world
  const { tiers, publicUrl, exchange } = rules
  const stop = exchange?.subscribe(hearTaken(clock, { accounts, heard })) ?? (() => {})
  return {
    /** The account of a team, its month read from the ledger the first time. */
    async open(team: Team): Promise<TeamAccount> {
      const known = accounts.get(team.id)
      if (known) return planned(clock, tiers, known, team)
      const writtenCentiCu = await teamMonthCentiCu(database, team.id, monthOf(clock.nowMs()))
      const raced = accounts.get(team.id)
      if (raced) return planned(clock, tiers, raced, team)
      const fresh = newAccount(clock, tierOf(tiers, team), team, writtenCentiCu, heard.get(team.id))
      accounts.set(team.id, fresh)
      heard.delete(team.id)
      return fresh
    },

    /** Lets a call of this price through, or says why not. Followed by one `settle`. */
    admit(account: TeamAccount, method: Method): Rejection | null {
      const nowMs = clock.nowMs()
      account.usedAtMs = nowMs
      turnMonth(account, nowMs)
      const refused = capacityRefusal(publicUrl, account)
      if (refused) return refused
      const slowed = throughputRefusal(publicUrl, account, method, nowMs)
      if (slowed) return slowed
      account.reservedCentiCu += method.billedCentiCu
      const { cuPerSecond } = account.tier
      if (exchange !== null && cuPerSecond !== null) {
        exchange.took(account.limitKey, method.throughputCentiCu, 0, cuPerSecond)
      }
      return null
    },

    /** Frees what `admit` reserved; `refund` also returns the throughput, for our failures. */
    settle(account: TeamAccount, method: Method, refund: boolean): void {
      account.reservedCentiCu -= method.billedCentiCu
      assert(account.reservedCentiCu >= 0, 'each admitted call is settled once')
      const { cuPerSecond } = account.tier
      if (!refund || !account.bucket || cuPerSecond === null) return
      const { throughputCentiCu } = method
      const back = returnToBucket(account.bucket, cuPerSecond, throughputCentiCu, clock.nowMs())
      exchange?.took(account.limitKey, -back, 0, cuPerSecond)
    },

    /** The refusal of a team whose month is used up; null while it is not. */
    capacity(account: TeamAccount): Rejection | null {
      const nowMs = clock.nowMs()
      account.usedAtMs = nowMs
      turnMonth(account, nowMs)
      return capacityRefusal(publicUrl, account)
    },

    replan(): void {
      for (const account of accounts.values()) planned(clock, tiers, account, account.team)
    },

    /** Reads the months of the teams in use again: other processes spend too. */
    refresh: () => refreshMonths(world, accounts),
    stop,
  }
}

/** Subtracts what others took, from the accounts here and from those that may come to be. */
function hearTaken(clock: Clock, { accounts, heard }: Teams): ReceiveTaken {
  return (key, { throughputCentiCu, billedCentiCu, cuPerSecond }) => {
    if (!key.startsWith(KEY_PREFIX)) return
    const teamId = key.slice(KEY_PREFIX.length)
    const nowMs = clock.nowMs()
    const known = accounts.get(teamId) ?? heard.get(teamId)
    const limits = known ?? { bucket: null, elsewhere: noUseElsewhere() }
    if (!known) heard.set(teamId, limits)
    const isOpen = accounts.has(teamId)
    // An account will read the ledger when it is opened, which has the older part.
    if (!isOpen) forgetWritten(limits.elsewhere, nowMs)
    noteUseElsewhere(limits.elsewhere, billedCentiCu, nowMs)
    if (cuPerSecond === null) return
    // The account of a team without a limit has no bucket, whatever others still think.
    if (!isOpen) limits.bucket ??= fullBucket(cuPerSecond, nowMs)
    if (limits.bucket) deductFromBucket(limits.bucket, cuPerSecond, throughputCentiCu, nowMs)
  }
}

function newAccount(
  clock: Clock,
  tier: Tier,
  team: Team,
  writtenCentiCu: number,
  heard: Heard | undefined,
): TeamAccount {
  const nowMs = clock.nowMs()
  const { cuPerSecond } = tier
  return {
    team,
    limitKey: KEY_PREFIX + team.id,
    tier,
    bucket: cuPerSecond === null ? null : (heard?.bucket ?? fullBucket(cuPerSecond, nowMs)),
    month: monthOf(nowMs),
    monthEndsMs: monthEndMs(nowMs),
    writtenCentiCu,
    pendingCentiCu: 0,
    reservedCentiCu: 0,
    elsewhere: heard?.elsewhere ?? noUseElsewhere(),
    usedAtMs: nowMs,
  }
}

function planned(
  clock: Clock,
  tiers: Rules['tiers'],
  account: TeamAccount,
  team: Team,
): TeamAccount {
  const tier = tierOf(tiers, team)
  account.team = team
  account.tier = tier
  if (tier.cuPerSecond === null) account.bucket = null
  // The bucket keeps its level, or debt: a change of plan must not be a way to a full one.
  else account.bucket ??= fullBucket(tier.cuPerSecond, clock.nowMs())
  return account
}

function tierOf(tiers: Rules['tiers'], team: Team): Tier {
  return tiers.get(team.tier) ?? { ...NO_TIER, name: team.tier }
}

function turnMonth(account: TeamAccount, nowMs: number): void {
  if (nowMs < account.monthEndsMs) return
  account.month = monthOf(nowMs)
  account.monthEndsMs = monthEndMs(nowMs)
  account.writtenCentiCu = 0
  account.elsewhere = noUseElsewhere()
}

/** A refusal without a time to retry at: clients would wait for weeks before they say why. */
function capacityRefusal(publicUrl: string, account: TeamAccount): Rejection | null {
  if (account.team.autoscaling) return null
  // Calls under way count as used, so that many at the same time do not overdraw the month.
  const own = account.writtenCentiCu + account.pendingCentiCu + account.reservedCentiCu
  const used = own + account.elsewhere.centiCu
  if (!monthIsFull(used, account.tier.monthlyCu)) return null
  return new Rejection('capacity_exceeded', capacityMessage(publicUrl))
}

function throughputRefusal(
  publicUrl: string,
  account: TeamAccount,
  method: Method,
  nowMs: number,
): Rejection | null {
  const { bucket, tier } = account
  if (!bucket || tier.cuPerSecond === null) return null
  const waitS = takeFromBucket(bucket, tier.cuPerSecond, method.throughputCentiCu, nowMs)
  return waitS === 0 ? null : tooFast(publicUrl, tier.cuPerSecond, waitS)
}

/** The refusal of a call that came too soon, in the words clients of this field know. */
export function tooFast(publicUrl: string, cuPerSecond: number, retryAfterS: number): Rejection {
  return new Rejection(
    'throughput_exceeded',
    `Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message. If not, see ${publicUrl}/docs`,
    // A refused caller has nothing left: with anything left, the call would have passed.
    { retryAfterS, rateLimit: { limit: burstCu(cuPerSecond), remaining: 0, resetS: retryAfterS } },
  )
}

async function refreshMonths(
  { clock, database }: World,
  accounts: Map<string, TeamAccount>,
): Promise<void> {
  const nowMs = clock.nowMs()
  const month = monthOf(nowMs)
  const active = [...accounts.values()].filter(
    ({ usedAtMs, elsewhere }) => nowMs - usedAtMs <= IDLE_MS_MAX || elsewhere.heard.length > 0,
  )
  while (active.length > 0) {
    const some = active.splice(0, ACCOUNTS_READ_AT_ONCE_MAX)
    const ids = some.map(({ team }) => team.id)
    const sums = await teamsMonthCentiCu(database, ids, month)
    for (const account of some) {
      if (account.month !== month) continue
      account.writtenCentiCu = sums.get(account.team.id) ?? 0
      forgetWritten(account.elsewhere, nowMs)
    }
  }
}

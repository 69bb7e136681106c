import { monthEndMs, monthIsFull, monthOf, type Team, type Tier } from '../core/billing/plan.ts'
import {
  burstCu,
  fullBucket,
  returnToBucket,
  takeFromBucket,
} from '../core/billing/token-bucket.ts'
import { capacityMessage } from '../core/delivery/envelope.ts'
import { assert, Rejection } from '../core/errors.ts'
import type { Method } from '../core/rpc/method-registry.ts'
import type { Clock } from '../ports/clock.ts'
import type { Database } from '../ports/database.ts'
import { teamMonthCentiCu, teamsMonthCentiCu } from '../tables/usage/usage.ts'
import type { TeamAccount } from './team-account.ts'

/** A tier taken out of the configuration must not set its teams free. */
const NO_TIER = {
  monthlyCu: 0,
  cuPerSecond: 1,
  paid: false,
  webhooksMax: 0,
  variableItemsMax: 0,
  undeliveredBytesMax: 0,
}

type Needs = {
  clock: Clock
  database: Database
  tiers: ReadonlyMap<string, Tier>
  publicUrl: string
}

export type SpendGuard = {
  /** The account of a team, its month read from the ledger the first time. */
  open(team: Team): Promise<TeamAccount>
  /** Lets a call of this price through, or says why not. Followed by one `settle`. */
  admit(account: TeamAccount, method: Method): Rejection | null
  /** Frees what `admit` reserved; `refund` also gives the throughput back, for failures of ours. */
  settle(account: TeamAccount, method: Method, refund: boolean): void
  /** Puts every account under the limits that its tier has now. */
  replan(): void
  /** Reads the months of the teams in use anew: other processes spend too. */
  refresh(): Promise<void>
}

/** A team that has been silent this long is not read; its first call afterwards does that. */
const IDLE_MS_MAX = 600_000
const ACCOUNTS_READ_AT_ONCE_MAX = 5000

export function openSpendGuard(needs: Needs): SpendGuard {
  // Bounded by the teams there are. None is forgotten: the directory holds on to accounts, and a
  // second one for the same team would be a second allowance.
  const accounts = new Map<string, TeamAccount>()
  const { clock } = needs
  return {
    async open(team) {
      const known = accounts.get(team.id)
      if (known) return planned(needs, known, team)
      const fresh = await readAccount(needs, team)
      const raced = accounts.get(team.id)
      if (raced) return planned(needs, raced, team)
      accounts.set(team.id, fresh)
      return fresh
    },

    admit(account, method) {
      const nowMs = clock.nowMs()
      account.usedAtMs = nowMs
      turnMonth(account, nowMs)
      const refused = capacityRefusal(needs, account)
      if (refused) return refused
      const slowed = throughputRefusal(needs, account, method, nowMs)
      if (slowed) return slowed
      account.reservedCentiCu += method.billedCentiCu
      return null
    },

    settle(account, method, refund) {
      account.reservedCentiCu -= method.billedCentiCu
      assert(account.reservedCentiCu >= 0, 'each admitted call is settled once')
      const { cuPerSecond } = account.tier
      if (!refund || !account.bucket || cuPerSecond === null) return
      returnToBucket(account.bucket, cuPerSecond, method.throughputCentiCu, clock.nowMs())
    },

    replan() {
      for (const account of accounts.values()) planned(needs, account, account.team)
    },

    refresh: () => refreshMonths(needs, accounts),
  }
}

async function readAccount(needs: Needs, team: Team): Promise<TeamAccount> {
  const nowMs = needs.clock.nowMs()
  const month = monthOf(nowMs)
  const tier = tierOf(needs, team)
  return {
    team,
    tier,
    bucket: tier.cuPerSecond === null ? null : fullBucket(tier.cuPerSecond, nowMs),
    month,
    monthEndsMs: monthEndMs(nowMs),
    writtenCentiCu: await teamMonthCentiCu(needs.database, team.id, month),
    pendingCentiCu: 0,
    reservedCentiCu: 0,
    usedAtMs: nowMs,
  }
}

/** The same account under the plan the team has now. */
function planned(needs: Needs, account: TeamAccount, team: Team): TeamAccount {
  const tier = tierOf(needs, team)
  account.team = team
  account.tier = tier
  if (tier.cuPerSecond === null) account.bucket = null
  // The bucket keeps its level, or debt: a change of plan must not be a way to a full one.
  else account.bucket ??= fullBucket(tier.cuPerSecond, needs.clock.nowMs())
  return account
}

function tierOf(needs: Needs, team: Team): Tier {
  const tier = needs.tiers.get(team.tier)
  return tier ?? { ...NO_TIER, name: team.tier }
}

function turnMonth(account: TeamAccount, nowMs: number): void {
  if (nowMs < account.monthEndsMs) return
  account.month = monthOf(nowMs)
  account.monthEndsMs = monthEndMs(nowMs)
  account.writtenCentiCu = 0
}

/** A refusal without a time to retry at: clients would wait for weeks before they say why. */
function capacityRefusal(needs: Needs, account: TeamAccount): Rejection | null {
  if (account.team.autoscaling) return null
  // Calls under way count as used, so that many at the same time do not overdraw the month.
  const used = account.writtenCentiCu + account.pendingCentiCu + account.reservedCentiCu
  if (!monthIsFull(used, account.tier.monthlyCu)) return null
  return new Rejection('capacity_exceeded', capacityMessage(needs.publicUrl))
}

function throughputRefusal(
  needs: Needs,
  account: TeamAccount,
  method: Method,
  nowMs: number,
): Rejection | null {
  const { bucket, tier } = account
  if (!bucket || tier.cuPerSecond === null) return null
  const waitS = takeFromBucket(bucket, tier.cuPerSecond, method.throughputCentiCu, nowMs)
  return waitS === 0 ? null : tooFast(needs.publicUrl, tier.cuPerSecond, waitS)
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

async function refreshMonths(needs: Needs, accounts: Map<string, TeamAccount>): Promise<void> {
  const nowMs = needs.clock.nowMs()
  const month = monthOf(nowMs)
  const active = [...accounts.values()].filter(({ usedAtMs }) => nowMs - usedAtMs <= IDLE_MS_MAX)
  while (active.length > 0) {
    const some = active.splice(0, ACCOUNTS_READ_AT_ONCE_MAX)
    const ids = some.map(({ team }) => team.id)
    const sums = await teamsMonthCentiCu(needs.database, ids, month)
    for (const account of some) {
      if (account.month === month) account.writtenCentiCu = sums.get(account.team.id) ?? 0
    }
  }
}

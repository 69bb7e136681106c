import type { JsonPath } from '../core/json/json-value.ts'
import type { Network, UpstreamBudget } from '../core/network.ts'
import type { BudgetValues } from './budget-schema.ts'
import { slugOf } from './config-checks.ts'
import type { NetworkValues } from './config-network-schema.ts'
import { type ExpandedNetworks, placeKey } from './vendors/expand-vendors.ts'
import { VENDOR_CREDITS } from './vendors/vendor-credits.ts'

const BLOCK_TIME_MS = { evm: 12_000, solana: 400 }

/** Three polls a block see a new head soon enough; these bounds spare the fast and the slow. */
const HEAD_POLLS_PER_BLOCK = 3
const HEAD_POLL_MS_MIN = 250
const HEAD_POLL_MS_MAX = 4000

const CREDITS_DEFAULT = { default: 1 }

export function readNetwork(values: NetworkValues): Network {
  const blockTimeMs = values.blockTimeMs ?? BLOCK_TIME_MS[values.kind]
  const pollMs = Math.round(blockTimeMs / HEAD_POLLS_PER_BLOCK)
  return {
    ...values,
    slug: slugOf(values),
    blockTimeMs,
    headPollMs: values.headPollMs ?? clamp(pollMs, HEAD_POLL_MS_MIN, HEAD_POLL_MS_MAX),
    upstreams: values.upstreams.map(({ budget, ...upstream }) =>
      budget ? { ...upstream, budget: toBudget(values.id, upstream.name, budget) } : upstream,
    ),
  }
}

export function locateNetwork(
  { networks, broughtBy }: ExpandedNetworks,
  where: (path: JsonPath) => string,
  networkId: string,
  upstreamName: string | undefined,
): string {
  const brought = broughtBy.get(placeKey(networkId, upstreamName))
  if (brought) return where(brought)
  const at = networks.findIndex(({ id }) => id === networkId)
  if (at < 0) return 'configuration'
  const upstreams = networks[at]?.upstreams ?? []
  const upstreamAt = upstreams.findIndex(({ name }) => name === upstreamName)
  if (upstreamAt < 0) return where(['networks', at])
  // An upstream is what its address makes it, so a variable that set the address is named.
  const upstream = ['networks', at, 'upstreams', upstreamAt]
  const address = where([...upstream, 'url'])
  return address.startsWith('HEADGATE_') ? address : where(upstream)
}

function toBudget(networkId: string, name: string, budget: BudgetValues): UpstreamBudget {
  const { account, requestsPerSecond, creditsPerMonth, credits, creditsOf, resetDay } = budget
  const table = creditsOf === undefined ? CREDITS_DEFAULT : VENDOR_CREDITS[creditsOf]
  return {
    account: account ?? `${networkId} ${name}`,
    requestsPerSecond: requestsPerSecond ?? null,
    creditsPerMonth: creditsPerMonth ?? null,
    credits: { ...table, ...credits },
    resetDay,
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

import type { Account, SolanaError } from '../../../../../src/core/solana/account.ts'
import { encodeKey } from '../../../../../src/core/solana/base58.ts'
import { compareKeys } from '../../../../../src/core/solana/compare-keys.ts'
import {
  readBoolean,
  readName,
  readUnsigned,
} from '../../../../../src/core/solana/reply/node-values.ts'
import { isSolanaError } from '../../../../../src/core/solana/solana-error.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { keyPairOf } from '../solana-message.ts'
import {
  API_VERSION,
  FEATURE_SET,
  inContext,
  type MethodTable,
  membersOf,
  momentOf,
  type Params,
  readKeysParam,
} from './solana-method.ts'

/** As many as a node lists. */
const LARGEST_MAX = 20

/** A node takes as many as fit into a request; more than these nobody has. */
const REWARDED_MAX = 10_000

/** One SOL, as the feature has it that raises it; all features are active here. */
const STAKE_LAMPORTS_MIN = 1_000_000_000

const FILTERS = ['circulating', 'nonCirculating'] as const

/** The one node of this cluster. */
export const NODE = encodeKey(keyPairOf('headgate devnet node').key)

/** Methods about the cluster as a whole: here the node is alone, and nobody votes or earns. */
export const CLUSTER_METHODS: MethodTable = {
  getSupply: { min: 0, max: 1, answer: getSupply },
  getLargestAccounts: { min: 0, max: 1, answer: getLargestAccounts },
  getVoteAccounts: { min: 0, max: 1, answer: () => '{"current":[],"delinquent":[]}' },
  getInflationRate: { min: 0, max: 0, answer: getInflationRate },
  getInflationGovernor: { min: 0, max: 1, answer: getInflationGovernor },
  getInflationReward: { min: 1, max: 2, answer: getInflationReward },
  getStakeMinimumDelegation: { min: 0, max: 1, answer: getStakeMinimumDelegation },
  getClusterNodes: { min: 0, max: 0, answer: getClusterNodes },
  getIdentity: { min: 0, max: 0, answer: () => `{"identity":"${NODE}"}` },
}

/** No account is locked up here, so all there is circulates. */
function getSupply(chain: SolanaChain, [configText]: Params): string | SolanaError {
  const members = membersOf(configText, 'RpcSupplyConfig')
  if (isSolanaError(members)) return members
  const excluded = readBoolean(members.get('excludeNonCirculatingAccountsList') ?? 'false')
  if (isSolanaError(excluded)) return excluded
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const total = chain.history.all(moment.slot).reduce((sum, { lamports }) => sum + lamports, 0n)
  const rest = '"nonCirculating":0,"nonCirculatingAccounts":[]'
  return inContext(moment.slot, `{"circulating":${total},${rest},"total":${total}}`)
}

function getLargestAccounts(chain: SolanaChain, [configText]: Params): string | SolanaError {
  const members = membersOf(configText, 'RpcLargestAccountsConfig')
  if (isSolanaError(members)) return members
  const filter = readName(members.get('filter') ?? '"circulating"', FILTERS)
  if (isSolanaError(filter)) return filter
  const moment = momentOf(chain, commitmentOf(members))
  if (isSolanaError(moment)) return moment
  const accounts = filter === 'nonCirculating' ? [] : chain.history.all(moment.slot)
  const largest = accounts.sort(byLamports).slice(0, LARGEST_MAX)
  const texts = largest.map(
    ({ pubkey, lamports }) => `{"address":"${encodeKey(pubkey)}","lamports":${lamports}}`,
  )
  return inContext(moment.slot, `[${texts.join()}]`)
}

/** Its filter is not the one that configs of accounts have. */
function commitmentOf(members: ReadonlyMap<string, string>): string {
  const commitment = members.get('commitment')
  return commitment === undefined ? '{}' : `{"commitment":${commitment}}`
}

function byLamports(a: Account, b: Account): number {
  if (a.lamports !== b.lamports) return a.lamports > b.lamports ? -1 : 1
  return compareKeys(a.pubkey, b.pubkey)
}

function getInflationRate({ slots }: SolanaChain): string {
  const { epoch } = slots.epochOf(slots.slotAt('finalized'))
  return `{"epoch":${epoch},"foundation":0.0,"total":0.0,"validator":0.0}`
}

function getInflationGovernor(chain: SolanaChain, [configText]: Params) {
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const terms = ['foundation', 'foundationTerm', 'initial', 'taper', 'terminal']
  return `{${terms.map((term) => `"${term}":0.0`).join()}}`
}

/** Nobody votes, so no stake has ever earned anything. */
function getInflationReward(chain: SolanaChain, [keysText = '', configText]: Params) {
  const keys = readKeysParam(keysText, REWARDED_MAX)
  if (isSolanaError(keys)) return keys
  const members = membersOf(configText, 'RpcEpochConfig')
  if (isSolanaError(members)) return members
  const epoch = readUnsigned(members.get('epoch') ?? '0', 'u64')
  if (isSolanaError(epoch)) return epoch
  const moment = momentOf(chain, commitmentOf(members))
  if (isSolanaError(moment)) return moment
  return `[${keys.map(() => 'null').join()}]`
}

function getStakeMinimumDelegation(chain: SolanaChain, [configText]: Params) {
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  return inContext(moment.slot, `${STAKE_LAMPORTS_MIN}`)
}

/** It takes calls, but neither gossips nor votes, so it has no address for either. */
function getClusterNodes(): string {
  const absent = [
    'gossip',
    'pubsub',
    'rpc',
    'serveRepair',
    'shredVersion',
    'tpu',
    'tpuForwards',
    'tpuForwardsQuic',
    'tpuQuic',
    'tpuVote',
    'tvu',
  ]
  const node = {
    featureSet: FEATURE_SET,
    ...Object.fromEntries(absent.map((name) => [name, null])),
    pubkey: NODE,
    version: API_VERSION,
  }
  return JSON.stringify([node])
}

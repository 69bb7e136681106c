import type { Account, SolanaError } from '../../../core/solana/account.ts'
import { encodeKey } from '../../../core/solana/base58.ts'
import { compareKeys } from '../../../core/solana/compare-keys.ts'
import { readBoolean, readName } from '../../../core/solana/reply/node-values.ts'
import { isSolanaError } from '../../../core/solana/solana-error.ts'
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
} from './solana-method.ts'

/** As many as a node lists. */
const LARGEST_MAX = 20

const FILTERS = ['circulating', 'nonCirculating'] as const

const NODE = encodeKey(keyPairOf('headgate devnet node').key)

/** Methods about the cluster as a whole: here the node is alone, and nobody votes or earns. */
export const CLUSTER_METHODS: MethodTable = {
  getSupply: { min: 0, max: 1, answer: getSupply },
  getLargestAccounts: { min: 0, max: 1, answer: getLargestAccounts },
  getVoteAccounts: { min: 0, max: 1, answer: () => '{"current":[],"delinquent":[]}' },
  getInflationRate: { min: 0, max: 0, answer: getInflationRate },
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

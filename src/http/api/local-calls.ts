import type {
  DevnetControl,
  DevnetState,
  SolanaDevnetControl,
  SolanaDevnetState,
} from '@headgate/devnet'
import { assert, Rejection } from '../../core/errors.ts'
import type { WireDevnet, WireSolanaDevnet } from '../contract/contract.ts'
import { ACCEPT } from '../inbox/inboxes.ts'
import type { Handler } from './calls/handler.ts'
import type { ManagementApi } from './management-api.ts'

export const getDevnet: Handler<'getDevnet'> = (api) => onChain(api, (devnet) => devnet.state())

export const mineDevnetBlocks: Handler<'mineDevnetBlocks'> = (api, { body }) =>
  onChain(api, (devnet) => devnet.mine(body?.blocks ?? 1))

export const reorganiseDevnet: Handler<'reorganiseDevnet'> = async (api, { body }) => {
  const { depth, blocks = depth + 1, transactions } = body
  if (blocks <= depth) {
    const text = `blocks must be more than depth (${depth}): nodes follow the longer branch.`
    return new Rejection('validation', text)
  }
  return onChain(api, (devnet) => devnet.reorganise({ depth, blocks, transactions }))
}

export const dropDevnetBlocks: Handler<'dropDevnetBlocks'> = (api, { body }) =>
  onChain(api, (devnet) => devnet.drop(body.height))

export const changeDevnet: Handler<'changeDevnet'> = async (api, { body }) => {
  const { is_held: isHeld, block_time_ms: blockTimeMs } = body
  const { transactions_per_block: transactionsPerBlock } = body
  const change = {
    ...(isHeld !== undefined && { isHeld }),
    ...(blockTimeMs !== undefined && { blockTimeMs }),
    ...(transactionsPerBlock !== undefined && { transactionsPerBlock }),
  }
  if (Object.keys(change).length === 0) {
    const text = 'at least one of is_held, block_time_ms and transactions_per_block is needed.'
    return new Rejection('validation', text)
  }
  return onChain(api, (devnet) => devnet.change(change))
}

export const sendDevnetTransaction: Handler<'sendDevnetTransaction'> = async (api, { body }) => {
  const { devnet } = localParts(api)
  const { kind = 'transfer', to = null, value = null } = body ?? {}
  const sent = await devnet.send({ kind, to, value })
  if (sent instanceof Rejection) return sent
  const { transactionHash: transaction_hash, state, ...transaction } = sent
  return { data: { transaction_hash, ...transaction, devnet: wireDevnet(devnet, state) } }
}

export const listInboxes: Handler<'listInboxes'> = async (api) => ({
  data: localParts(api).inboxes.list(),
})

export const listInboxArrivals: Handler<'listInboxArrivals'> = async (api, { parameters }) => {
  const { inboxes } = localParts(api)
  const { name, limit, before } = parameters
  const found = inboxes.arrivals(name, limit, before)
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const cursors = found.length > limit && last ? { before: last.id } : {}
  return { inbox: inboxes.find(name), data: page, pagination: { cursors } }
}

export const changeInbox: Handler<'changeInbox'> = async (api, { parameters, body }) => {
  const { behaviour, status, delay_ms } = body
  if (status !== undefined && behaviour !== 'fail') {
    return new Rejection('validation', 'status goes with the behaviour fail only.')
  }
  if (delay_ms !== undefined && behaviour !== 'slow') {
    return new Rejection('validation', 'delay_ms goes with the behaviour slow only.')
  }
  const change = {
    behaviour,
    status: status ?? ACCEPT.status,
    delay_ms: delay_ms ?? ACCEPT.delay_ms,
  }
  return { data: localParts(api).inboxes.change(parameters.name, change) }
}

export const emptyInbox: Handler<'emptyInbox'> = async (api, { parameters }) => ({
  data: localParts(api).inboxes.empty(parameters.name),
})

async function onChain(
  api: ManagementApi,
  act: (devnet: DevnetControl<Rejection>) => Promise<DevnetState | Rejection>,
) {
  const { devnet } = localParts(api)
  const state = await act(devnet)
  return state instanceof Rejection ? state : { data: wireDevnet(devnet, state) }
}

function wireDevnet({ network }: DevnetControl<Rejection>, state: DevnetState): WireDevnet {
  return {
    network,
    chain_id: state.chainId,
    block_time_ms: state.blockTimeMs,
    is_held: state.isHeld,
    transactions_per_block: state.transactionsPerBlock,
    is_traffic_resting: state.isTrafficResting,
    pending_transactions: state.pendingTransactions,
    head: state.head,
    blocks: state.blocks.map((block) => ({
      number: block.number,
      hash: block.hash,
      parent_hash: block.parentHash,
      is_canonical: block.replacedAtMs === null,
      transactions: block.transactions,
      time: block.timeMs,
      time_replaced: block.replacedAtMs,
    })),
  }
}

/** Far enough that Headgate prefers others, and near enough to be seen catching up. */
const LAG_BLOCKS = 5

export const listDevnetUpstreams: Handler<'listDevnetUpstreams'> = async (api) =>
  answered(await localParts(api).devnet.nodes())

export const changeDevnetUpstream: Handler<'changeDevnetUpstream'> = async (
  api,
  { parameters: { name }, body: { behaviour, blocks } },
) => {
  if (blocks !== undefined && behaviour !== 'lag') {
    return new Rejection('validation', 'blocks goes with the behaviour lag only.')
  }
  const { devnet } = localParts(api)
  const nodes = await devnet.nodes()
  if (nodes instanceof Rejection) return nodes
  if (!nodes.some((node) => node.name === name)) {
    const names = nodes.map((node) => node.name).join(', ')
    return new Rejection('not_found', `There is no such upstream; there are ${names}.`)
  }
  const behind = behaviour === 'lag' ? (blocks ?? LAG_BLOCKS) : 0
  return answered(await devnet.changeNode(name, { behaviour, blocks: behind }))
}

export const stallDevnet: Handler<'stallDevnet'> = async (api, { body }) =>
  answered(await localParts(api).devnet.stall(body.seconds * 1000))

function answered<T>(nodes: readonly T[] | Rejection) {
  return nodes instanceof Rejection ? nodes : { data: [...nodes] }
}

export const getSolanaDevnet: Handler<'getSolanaDevnet'> = async (api) => {
  const { solanaDevnet: ledger } = localParts(api)
  return shownLedger(ledger, await ledger.state())
}

export const changeSolanaDevnet: Handler<'changeSolanaDevnet'> = async (api, { body }) => {
  const { solanaDevnet: ledger } = localParts(api)
  const { slot_time_ms, is_held, changes_per_slot } = body
  const state = await ledger.change({
    ...(slot_time_ms !== undefined && { slotTimeMs: slot_time_ms }),
    ...(is_held !== undefined && { isHeld: is_held }),
    ...(changes_per_slot !== undefined && { changesPerSlot: changes_per_slot }),
  })
  return shownLedger(ledger, state)
}

function shownLedger(
  { network }: SolanaDevnetControl<Rejection>,
  state: SolanaDevnetState | Rejection,
) {
  if (state instanceof Rejection) return state
  const data: WireSolanaDevnet = {
    network,
    slot: state.slot,
    block_height: state.blockHeight,
    slot_time_ms: state.slotTimeMs,
    is_held: state.isHeld,
    changes_per_slot: state.changesPerSlot,
    token_accounts: state.tokenAccounts,
    transactions: state.transactions,
  }
  return { data }
}

function localParts({ local }: ManagementApi) {
  assert(local !== null, 'calls of local development have no route elsewhere')
  return local
}

import type { DevnetControl, DevnetState } from '@headgate/devnet'
import { Rejection } from '../../../core/errors.ts'
import type { WireDevnet } from '../../contract/contract.ts'
import { ACCEPT } from '../../inbox/inboxes.ts'
import type { Handler } from '../calls/handler.ts'
import { type LocalCallNeeds, localParts } from './local-parts.ts'

export * from './list-devnet-upstreams.ts'
export { SOLANA_DEVNET_HANDLERS } from './solana-devnet-handlers.ts'
export type { LocalCallNeeds }

export const getDevnet: Handler<'getDevnet', LocalCallNeeds> = async (needs) => {
  const { devnet } = localParts(needs)
  return shown(devnet, await devnet.state())
}

export const mineDevnetBlocks: Handler<'mineDevnetBlocks', LocalCallNeeds> = async (
  needs,
  { body },
) => {
  const { devnet } = localParts(needs)
  return shown(devnet, await devnet.mine(body?.blocks ?? 1))
}

export const reorganiseDevnet: Handler<'reorganiseDevnet', LocalCallNeeds> = async (
  needs,
  { body },
) => {
  const { devnet } = localParts(needs)
  const { depth, blocks = depth + 1, transactions } = body
  if (blocks <= depth) {
    const text = `blocks must be more than depth (${depth}): nodes follow the longer branch.`
    return new Rejection('validation', text)
  }
  return shown(devnet, await devnet.reorganise({ depth, blocks, transactions }))
}

export const dropDevnetBlocks: Handler<'dropDevnetBlocks', LocalCallNeeds> = async (
  needs,
  { body },
) => {
  const { devnet } = localParts(needs)
  return shown(devnet, await devnet.drop(body.height))
}

export const changeDevnet: Handler<'changeDevnet', LocalCallNeeds> = async (needs, { body }) => {
  const { devnet } = localParts(needs)
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
  return shown(devnet, await devnet.change(change))
}

export const sendDevnetTransaction: Handler<'sendDevnetTransaction', LocalCallNeeds> = async (
  needs,
  { body },
) => {
  const { devnet } = localParts(needs)
  const { kind = 'transfer', to = null, value = null } = body ?? {}
  const sent = await devnet.send({ kind, to, value })
  if (sent instanceof Rejection) return sent
  const { transactionHash: transaction_hash, state, ...transaction } = sent
  return { data: { transaction_hash, ...transaction, devnet: wireDevnet(devnet, state) } }
}

export const listInboxes: Handler<'listInboxes', LocalCallNeeds> = async (needs) => ({
  data: localParts(needs).inboxes.list(),
})

export const listInboxArrivals: Handler<'listInboxArrivals', LocalCallNeeds> = async (
  needs,
  { parameters },
) => {
  const { inboxes } = localParts(needs)
  const { name, limit, before } = parameters
  const found = inboxes.arrivals(name, limit, before)
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const cursors = found.length > limit && last ? { before: last.id } : {}
  return { inbox: inboxes.find(name), data: page, pagination: { cursors } }
}

export const changeInbox: Handler<'changeInbox', LocalCallNeeds> = async (
  needs,
  { parameters, body },
) => {
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
  return { data: localParts(needs).inboxes.change(parameters.name, change) }
}

export const emptyInbox: Handler<'emptyInbox', LocalCallNeeds> = async (needs, { parameters }) => ({
  data: localParts(needs).inboxes.empty(parameters.name),
})

function shown(devnet: DevnetControl<Rejection>, state: DevnetState | Rejection) {
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

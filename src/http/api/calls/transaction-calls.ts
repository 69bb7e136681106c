import { Rejection } from '../../../core/errors.ts'
import { findApp } from '../../../tables/accounts/apps.ts'
import {
  listSent,
  type SentPlace,
  type SentTransaction,
} from '../../../tables/sent/sent-transactions.ts'
import type { WireSentTransaction } from '../../contract/contract.ts'
import type { Handler } from './handler.ts'

export const listAppTransactions: Handler<'listAppTransactions'> = async (
  { database },
  { team, parameters },
) => {
  const { id, state = null, limit, cursor } = parameters
  if (!(await findApp(database, team.id, id))) {
    return new Rejection('not_found', `This team has no app ${id}.`)
  }
  const after = cursor === undefined ? null : placeOf(cursor)
  const found = await listSent(database, id, { state, after, limit: limit + 1 })
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const cursors = last ? { after: `${last.sentAtMs}-${last.hash}` } : {}
  return { data: page.map(wireTransaction), pagination: { cursors } }
}

function placeOf(cursor: string): SentPlace {
  const [time = '', hash = ''] = cursor.split('-')
  return { sentAtMs: Number(time), hash }
}

function wireTransaction(sent: SentTransaction): WireSentTransaction {
  return {
    hash: sent.hash,
    network: sent.network,
    state: sent.state,
    block_number: sent.blockNumber,
    upstreams: sent.upstreams,
    time_sent: sent.sentAtMs,
    time_updated: sent.updatedAtMs,
  }
}

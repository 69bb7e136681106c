import { useEffect, useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import type { WireWebhook } from '../../../api/wire.ts'

/** What a block of a webhook's query costs on average, and by which blocks that is known. */
export type BlockPrice = { deliveries: number; cu: number; basis: string }

/** Blocks that a price is taken from. */
const BLOCKS = 50

/** Asks what the query costs a block; null before it is known, or where it cannot be. */
export function useBlockPrice(webhook: WireWebhook): BlockPrice | null {
  const [price, setPrice] = useState<BlockPrice | null>(null)
  const { network, graphql_query: query } = webhook
  const key = JSON.stringify({ network, query })
  useEffect(() => {
    let isWanted = true
    setPrice(null)
    const asked = JSON.parse(key)
    const found = estimated(asked).catch(() => tried(asked))
    found.then((one) => isWanted && setPrice(one)).catch(() => {})
    return () => {
      isWanted = false
    }
  }, [key])
  return price
}

type Asked = { network: string; query: WireWebhook['graphql_query'] }

async function estimated({ network, query }: Asked): Promise<BlockPrice> {
  const body = { network, graphql_query: query, blocks: BLOCKS }
  const { data } = await callApi('estimateQuery', { body })
  const blocks = Math.max(1, data.blocks)
  return {
    deliveries: data.delivered / blocks,
    cu: data.cu / blocks,
    basis: `by the last ${data.blocks} blocks`,
  }
}

/** The newest block alone, where there is no estimate. */
async function tried({ network, query }: Asked): Promise<BlockPrice> {
  const found = await callApi('testQuery', { body: { network, graphql_query: query } })
  const isSkipped = found.empty && query.skip_empty_messages
  return {
    deliveries: isSkipped ? 0 : 1,
    cu: isSkipped ? 0 : found.cu,
    basis: 'by the newest block',
  }
}

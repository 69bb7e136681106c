import { useMemo } from 'preact/hooks'
import { useCall } from '../../../api/use-call.ts'
import { useLiveRefresh, useRefresh } from '../../../api/use-refresh.ts'
import type { WireDelivery } from '../../../api/wire.ts'

const DELIVERIES_MAX = 100
const REFRESH_MS = 3000

/** By a block's hash: how the delivery of it went, and the end of its sequence number. */
export function useBlockLabels(network: string): ReadonlyMap<string, string> {
  useLiveRefresh(['delivery', 'gap'], 'listDeliveries')
  useRefresh(REFRESH_MS, 'listDeliveries')
  const { data } = useCall('listDeliveries', { limit: DELIVERIES_MAX })
  return useMemo(() => {
    const own = data?.data.filter((one) => one.network === network && one.block_hash !== null) ?? []
    const byHash = Map.groupBy(own, ({ block_hash: hash }) => hash ?? '')
    return new Map([...byHash].map(([hash, deliveries]) => [hash, labelOf(deliveries)]))
  }, [data, network])
}

function labelOf(deliveries: readonly WireDelivery[]): string {
  const [one] = deliveries
  if (!one) return ''
  if (deliveries.length > 1) {
    const done = deliveries.filter(({ status }) => status === 'delivered').length
    return `✓ ${done} of ${deliveries.length}`
  }
  const answer = one.status === 'delivered' ? '✓' : (one.status_code ?? '·')
  return `${answer} …${one.sequence_number?.slice(-3) ?? ''}`
}

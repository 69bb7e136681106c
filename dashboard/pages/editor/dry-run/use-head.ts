import { useCallback, useEffect, useState } from 'preact/hooks'
import { useLive } from '../../../api/live.ts'
import { useCall } from '../../../api/use-call.ts'
import type { WireEvents } from '../../../api/wire.ts'

/** The height of a network's newest block, which follows it; null before it is known. */
export function useHead(network: string): number | null {
  const { data } = useCall('listNetworks')
  const known = data?.data.find(({ id }) => id === network)?.head?.number ?? null
  const [heard, setHeard] = useState<number | null>(null)
  useEffect(() => setHeard(null), [network])
  const hear = useCallback(
    (head: WireEvents['head']) => {
      if (head.network === network) setHeard(head.number)
    },
    [network],
  )
  useLive('head', hear)
  return heard ?? known
}

import type { Network } from '@headgate/client'
import { useEffect } from 'preact/hooks'
import { useCall } from '../../api/use-call.ts'
import { useRefresh } from '../../api/use-refresh.ts'
import { NoNetwork } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { State } from '../../parts/state.tsx'
import { PageFrame } from '../../shell/page-frame.tsx'
import { usePlace } from '../../shell/routing/router.ts'
import { NetworkCard } from './network-card.tsx'

/** No event tells how nodes are. */
const REFRESH_MS = 5000

export default function NetworksPage() {
  const call = useCall('listNetworks')
  useRefresh(REFRESH_MS, 'listNetworks')
  const networks = call.data?.data
  useAnchor(networks !== undefined)
  return (
    <PageFrame title="Networks">
      <div class="head">
        <h1>Networks</h1>
        {networks && <NodeCounts networks={networks} />}
        <p class="sub">
          Every node is judged all the time. This page says who answers calls now, and why the
          others don’t.
        </p>
      </div>
      <Loaded call={call} isAlone empty={<NoNetwork />}>
        {(all) => all.map((network) => <NetworkCard key={network.id} network={network} />)}
      </Loaded>
    </PageFrame>
  )
}

function NodeCounts({ networks }: { networks: readonly Network[] }) {
  const nodes = networks.flatMap(({ upstreams }) => upstreams)
  const count = (wanted: string) => nodes.filter(({ state }) => state === wanted).length
  const standby = count('standby')
  const excluded = count('excluded')
  return (
    <div class="acts">
      <span class="legend">
        <State tone="ok">{count('used')} used</State>
        {standby > 0 && <State tone="ring">{standby} standby</State>}
        {excluded > 0 && <State tone="bad">{excluded} not used</State>}
      </span>
    </div>
  )
}

function useAnchor(isThere: boolean): void {
  const { hash } = usePlace()
  useEffect(() => {
    if (!isThere || hash.length < 2) return
    // The browser marks the target only of an address that it goes to itself.
    document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView({ block: 'start' })
  }, [isThere, hash])
}

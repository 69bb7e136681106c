import type { Network } from '@headgate/client'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { useRecentHeads } from '../../api/recent-heads.ts'
import { useCall } from '../../api/use-call.ts'
import { useRefresh } from '../../api/use-refresh.ts'
import { NoNetwork } from '../../parts/empty.tsx'
import { headMarks } from '../../parts/head-marks.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { NetworkName } from '../../parts/state.tsx'
import { Strip } from '../../parts/strip.tsx'
import { whole } from '../../parts/text/format.ts'
import { TimeAgo } from '../../parts/text/time-ago.tsx'

/** No event tells how nodes are. */
const REFRESH_MS = 10_000

export function HeadsCard() {
  useRefresh(REFRESH_MS, 'listNetworks')
  return (
    <Loaded call={useCall('listNetworks')} wait={<Heads>{WAIT}</Heads>} empty={<NoNetwork />}>
      {(networks) => (
        <Heads>
          {networks.map((network) => (
            <NetworkHead key={network.id} network={network} />
          ))}
        </Heads>
      )}
    </Loaded>
  )
}

function Heads({ children }: { children: ComponentChildren }) {
  return (
    <section class="card heads" aria-label="Heads of all networks">
      {children}
    </section>
  )
}

const WAIT = [0, 1].map((at) => (
  <div class="wait" key={at} aria-hidden="true">
    <span class="sk b" />
    <span class="sk d" />
    <span class="sk a" />
  </div>
))

function NetworkHead({ network }: { network: Network }) {
  const heads = useRecentHeads(network.id)
  const readAtMs = useMemo(() => Date.now(), [network])
  const newest = heads.at(-1)
  const number = newest?.number ?? network.head?.number
  const at = newest?.time ?? readAtMs - (network.head?.age_ms ?? 0)
  return (
    <a href={`/networks#${network.id}`}>
      <span class="top">
        <NetworkName id={network.id} />
        <NodesUsed network={network} />
      </span>
      <span class="hn">
        <b>{number === undefined ? 'No head yet' : whole(number)}</b>
        {number !== undefined && (
          <span class="small quiet">
            <TimeAgo at={at} />
          </span>
        )}
        {number !== undefined && network.finalized !== null && (
          <span
            class="tiny faint grow right c-mid"
            title="How far the newest final block is behind"
          >
            final −{whole(Math.max(0, number - network.finalized))}
          </span>
        )}
      </span>
      <span class="headstrip">
        <Strip
          marks={headMarks(heads, network.block_time_ms)}
          label="The latest blocks; height is the time each took"
        />
      </span>
    </a>
  )
}

function NodesUsed({ network: { upstreams } }: { network: Network }) {
  const used = upstreams.filter(({ state }) => state === 'used').length
  const isExcluded = upstreams.some(({ state }) => state === 'excluded')
  const tone = used === 0 ? 'bad' : isExcluded ? 'warn' : 'ok'
  return (
    <span class="tiny quiet st">
      <span class={`dot ${tone}`} />
      <span>
        {used} of {upstreams.length}
        <span class="c-tab"> {upstreams.length === 1 ? 'node' : 'nodes'} used</span>
      </span>
    </span>
  )
}

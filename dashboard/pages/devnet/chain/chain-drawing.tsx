import type { Delivery, Devnet } from '@headgate/client'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { useCall } from '../../../api/use-call.ts'
import { useLiveRefresh, useRefresh } from '../../../api/use-refresh.ts'
import { plural, whole } from '../../../parts/text/format.ts'
import { agoText, useNow } from '../../../parts/text/time-ago.tsx'
import { chainLayout, type PlacedBlock } from './chain-layout.ts'

const DELIVERIES_MAX = 100

const REFRESH_MS = 3000

const BOX = { width: 92, height: 50 }
const STEP = { x: 121, y: 90 }
const MARGIN = { left: 8, top: 28, right: 64, bottom: 42 }

/** The chain drawn block by block: replaced ones dashed above, the new branch violet. */
export function ChainDrawing({ chain }: { chain: Devnet }) {
  const placed = useMemo(() => chainLayout(chain.blocks), [chain.blocks])
  const labels = useBlockLabels(chain.network)
  const lanes = Math.max(0, ...placed.map(({ lane }) => lane))
  const columns = Math.max(0, ...placed.map(({ column }) => column)) + 1
  const width = MARGIN.left + columns * STEP.x + MARGIN.right
  const height = MARGIN.top + lanes * STEP.y + BOX.height + MARGIN.bottom
  const spot = (block: PlacedBlock) => ({
    x: MARGIN.left + block.column * STEP.x,
    y: MARGIN.top + (lanes - block.lane) * STEP.y,
  })
  const byHash = new Map(placed.map((one) => [one.block.hash, one]))
  const box = useEndInView(chain.head.number)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend along.
    <div
      class="chainbox"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keys.
      tabIndex={0}
      role="group"
      aria-label="Chain, scrollable"
    >
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        style={{ width: `${width}px` }}
        role="img"
        aria-label={wordsOf(chain)}
      >
        {placed.map((one) => {
          const parent = byHash.get(one.block.parent_hash)
          return (
            parent && (
              <path
                key={`to ${one.block.hash}`}
                class={`lk ${linkTone(one)}`}
                d={linkOf(spot(parent), spot(one))}
              />
            )
          )
        })}
        {placed.map((one) => (
          <Block
            key={one.block.hash}
            {...{ one, ...spot(one), isHead: one.block.hash === chain.head.hash }}
            label={labels.get(one.block.hash) ?? ''}
          />
        ))}
        <BranchLabels placed={placed} spot={spot} />
      </svg>
    </div>
  )
}

type BlockProps = {
  one: PlacedBlock
  x: number
  y: number
  isHead: boolean
  label: string
}

function Block({ one: { block, isNew }, x, y, isHead, label }: BlockProps) {
  const tone = !block.is_canonical ? 'gone' : isHead ? 'tip' : isNew ? 'new' : ''
  const middle = x + BOX.width / 2
  const tip = `${block.hash}\n${plural(block.transactions, 'transaction')}`
  return (
    <g class={`blk ${tone}`} data-tip={tip} data-block={block.number} data-hash={block.hash}>
      <rect class="bx" x={x} y={y} width={BOX.width} height={BOX.height} rx="8" />
      <text x={middle} y={y + 22} text-anchor="middle">
        {whole(block.number)}
      </text>
      <text class="q" x={middle} y={y + 38} text-anchor="middle">
        {block.hash.slice(0, 4)}…{block.hash.slice(-2)}
      </text>
      <text class="q" x={middle} y={y + 66} text-anchor="middle">
        {label}
      </text>
      {isHead && <HeadLabel x={x + BOX.width + 6} y={y} at={block.time} />}
    </g>
  )
}

function HeadLabel({ x, y, at }: { x: number; y: number; at: number }) {
  return (
    <>
      <text class="lbl" x={x} y={y + 22}>
        head
      </text>
      <text class="lbl" x={x} y={y + 38}>
        {agoText(Math.max(0, useNow() - at)).replace(' ago', '')}
      </text>
    </>
  )
}

type LabelProps = {
  placed: readonly PlacedBlock[]
  spot(one: PlacedBlock): { x: number; y: number }
}

function BranchLabels({ placed, spot }: LabelProps) {
  const nowMs = useNow()
  const gone = placed.filter(({ block }) => !block.is_canonical)
  const branches = Map.groupBy(gone, ({ block }) => block.time_replaced ?? 0)
  return [...branches].map(([at, blocks]) => {
    const first = blocks.toSorted((a, b) => a.column - b.column)[0]
    if (!first) return null
    const { x, y } = spot(first)
    return (
      <text key={at} class="lbl" x={x} y={y - 10}>
        left behind, {agoText(nowMs - at)}
      </text>
    )
  })
}

type Spot = { x: number; y: number }

function linkOf(from: Spot, to: Spot): string {
  const x = from.x + BOX.width
  const y = from.y + BOX.height / 2
  const toY = to.y + BOX.height / 2
  if (y === toY) return `M${x} ${y}H${to.x}`
  const half = (to.x - x) * 0.9
  return `M${x} ${y}C${x + half} ${y} ${to.x - half} ${toY} ${to.x} ${toY}`
}

function linkTone({ block, isNew }: PlacedBlock): string {
  if (!block.is_canonical) return 'gone'
  return isNew ? 'new' : ''
}

/** The newest block stays in view unless the reader has scrolled back. */
function useEndInView(head: number) {
  const box = useRef<HTMLDivElement>(null)
  const wasAtEnd = useRef(true)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const note = () => {
      wasAtEnd.current = element.scrollLeft + element.clientWidth > element.scrollWidth - STEP.x
    }
    element.addEventListener('scroll', note, { passive: true })
    const sized = new ResizeObserver(() => {
      if (wasAtEnd.current) element.scrollLeft = element.scrollWidth
    })
    sized.observe(element)
    return () => {
      element.removeEventListener('scroll', note)
      sized.disconnect()
    }
  }, [])
  useLayoutEffect(() => {
    const element = box.current
    if (element && wasAtEnd.current) element.scrollLeft = element.scrollWidth
  }, [head])
  return box
}

function wordsOf({ network, head, blocks }: Devnet): string {
  const gone = blocks.filter((block) => !block.is_canonical)
  const replaced = gone.map(({ number }) => whole(number)).join(', ')
  const words = `The chain of ${network}: the head is block ${whole(head.number)}`
  return gone.length === 0 ? words : `${words}; replaced were ${replaced}`
}

/** By a block's hash: how the delivery of it went, and the end of its sequence number. */
function useBlockLabels(network: string): ReadonlyMap<string, string> {
  useLiveRefresh(['delivery', 'gap'], 'listDeliveries')
  useRefresh(REFRESH_MS, 'listDeliveries')
  const { data } = useCall('listDeliveries', { limit: DELIVERIES_MAX })
  return useMemo(() => {
    const own = data?.data.filter((one) => one.network === network && one.block_hash !== null) ?? []
    const byHash = Map.groupBy(own, ({ block_hash: hash }) => hash ?? '')
    return new Map([...byHash].map(([hash, deliveries]) => [hash, labelOf(deliveries)]))
  }, [data, network])
}

function labelOf(deliveries: readonly Delivery[]): string {
  const [one] = deliveries
  if (!one) return ''
  if (deliveries.length > 1) {
    const done = deliveries.filter(({ status }) => status === 'delivered').length
    return `✓ ${done} of ${deliveries.length}`
  }
  const answer = one.status === 'delivered' ? '✓' : (one.status_code ?? '·')
  return `${answer} …${one.sequence_number?.slice(-3) ?? ''}`
}

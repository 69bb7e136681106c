import type { Devnet } from '@headgate/client'
import { useState } from 'preact/hooks'
import { useLiveState } from '../../../api/live.ts'
import { useLiveRefresh, useRefresh } from '../../../api/use-refresh.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/card.tsx'
import { plural } from '../../../parts/text/format.ts'
import { useShortcuts } from '../../../shell/keys/shortcuts.ts'
import { ChainDrawing } from './chain-drawing.tsx'
import { ChainPace } from './chain-pace.tsx'
import { DEPTH_MAX, hold, mine, reorganise } from './devnet-actions.ts'
import { SendDialog } from './send-dialog.tsx'

/** Blocks that a lost stream does not tell are seen within so long. */
const POLL_MS = { live: 10_000, lost: 2000 }

export function ChainCard({ chain }: { chain: Devnet | undefined }) {
  const [depth, setDepth] = useState(2)
  const [isDropping, setDropping] = useState(false)
  const isLive = useLiveState() === 'live'
  useRefresh(isLive ? POLL_MS.live : POLL_MS.lost, 'getDevnet')
  useLiveRefresh(['head', 'gap'], 'getDevnet')
  const fork = () => reorganise(depth, isDropping ? 'drop' : 'keep')
  useShortcuts([
    { keys: 'm', does: 'Mine a block', run: mine },
    { keys: 'x', does: 'Reorganise', run: fork },
  ])
  const isOff = chain === undefined
  return (
    <Card
      title="Chain"
      about={chain && paceOf(chain)}
      beside={
        <div class="acts chainacts">
          <HoldButton chain={chain} />
          <Button icon="cube" disabled={isOff} onClick={mine}>
            Mine <kbd>M</kbd>
          </Button>
          <DepthStepper depth={depth} onChange={setDepth} />
          <Button class="forkbtn" icon="fork" disabled={isOff} onClick={fork}>
            Reorganise <kbd>X</kbd>
          </Button>
        </div>
      }
      label="Chain"
    >
      <ChainPace chain={chain} />
      {chain ? <ChainDrawing chain={chain} /> : <span class="sk chain-wait" />}
      <ChainFoot chain={chain} isDropping={isDropping} onDropping={setDropping} />
    </Card>
  )
}

function HoldButton({ chain }: { chain: Devnet | undefined }) {
  const isHeld = chain?.is_held ?? false
  const isByHand = chain?.block_time_ms === 0
  return (
    <Button
      icon={isHeld ? 'play' : 'pause'}
      aria-pressed={isHeld}
      disabled={!chain || isByHand}
      title={isByHand ? 'Blocks come on command only' : 'While it is held, blocks come on command'}
      onClick={() => void hold(!isHeld)}
    >
      {isHeld ? 'Resume' : 'Hold'}
    </Button>
  )
}

function DepthStepper({ depth, onChange }: { depth: number; onChange(depth: number): void }) {
  const change = (wanted: number) => {
    if (Number.isInteger(wanted)) onChange(Math.max(1, Math.min(DEPTH_MAX, wanted)))
  }
  return (
    <div class="stepper">
      <label for="depth">depth</label>
      <button type="button" aria-label="Less deep" onClick={() => change(depth - 1)}>
        −
      </button>
      <input
        id="depth"
        inputmode="numeric"
        value={depth}
        aria-label="Depth of the reorganisation"
        onInput={(event) => change(Number(event.currentTarget.value))}
      />
      <button type="button" aria-label="Deeper" onClick={() => change(depth + 1)}>
        +
      </button>
    </div>
  )
}

type FootProps = {
  chain: Devnet | undefined
  isDropping: boolean
  onDropping(isDropping: boolean): void
}

function ChainFoot({ chain, isDropping, onDropping }: FootProps) {
  const [isSending, setSending] = useState(false)
  const pending = chain?.pending_transactions ?? 0
  return (
    <div class="cf chainfoot">
      <Button class="sm" icon="bolt" disabled={!chain} onClick={() => setSending(true)}>
        Send a transaction
      </Button>
      <span>{pending > 0 && `${plural(pending, 'transaction')} in the next block`}</span>
      <span class="grow" />
      <label class="row">
        <input
          type="checkbox"
          checked={isDropping}
          onChange={(event) => onDropping(event.currentTarget.checked)}
        />
        A reorganisation drops the transactions of replaced blocks
      </label>
      {isSending && <SendDialog onClose={() => setSending(false)} />}
    </div>
  )
}

function paceOf({ block_time_ms: timeMs, is_held: isHeld }: Devnet): string {
  if (timeMs === 0) return 'blocks come on command'
  return isHeld ? 'held: blocks come on command' : ''
}

import type { Devnet } from '@headgate/client'
import { useState } from 'preact/hooks'
import { Button } from '../../../parts/button.tsx'
import { Select } from '../../../parts/forms/field.tsx'
import { Tag } from '../../../parts/state.tsx'
import { plural } from '../../../parts/text/format.ts'
import { changeChain, drop } from './devnet-actions.ts'

/** Times between blocks to choose from; another one that is set stands among them. */
const BLOCK_TIMES_MS = [250, 500, 1000, 2000, 4000, 12_000, 30_000, 60_000, 600_000]

const TRAFFIC = [0, 1, 3, 6, 12, 25, 50, 100, 200]

export function ChainPace({ chain }: { chain: Devnet | undefined }) {
  const timeMs = chain?.block_time_ms ?? 0
  const traffic = chain?.transactions_per_block ?? 0
  return (
    <div class="chainpace">
      <Choice
        id="block-time"
        label="A block every"
        value={timeMs}
        values={BLOCK_TIMES_MS}
        text={(ms) => (ms === 0 ? 'command' : `${ms / 1000} s`)}
        isOff={!chain}
        onChange={(ms) => void changeChain({ block_time_ms: ms })}
      />
      <Choice
        id="traffic"
        label="Traffic"
        value={traffic}
        values={TRAFFIC}
        text={(count) => (count === 0 ? 'none' : `${plural(count, 'transaction')} a block`)}
        isOff={!chain}
        onChange={(count) => void changeChain({ transactions_per_block: count })}
      />
      {chain?.is_traffic_resting && (
        <Tag tone="warn">Traffic rests: the chain’s process has grown too large</Tag>
      )}
      <span class="grow" />
      <DropForm chain={chain} />
    </div>
  )
}

type ChoiceProps = {
  id: string
  label: string
  value: number
  values: readonly number[]
  text(value: number): string
  isOff: boolean
  onChange(value: number): void
}

function Choice({ id, label, value, values, text, isOff, onChange }: ChoiceProps) {
  const shown = [...new Set([...values, value])].sort((a, b) => a - b)
  return (
    <div class="row">
      <label for={id}>{label}</label>
      <Select
        id={id}
        class="in"
        value={String(value)}
        disabled={isOff}
        options={shown.map((one) => ({ value: String(one), text: text(one) }))}
        onChange={(chosen) => onChange(Number(chosen))}
      />
    </div>
  )
}

function DropForm({ chain }: { chain: Devnet | undefined }) {
  const [height, setHeight] = useState('')
  const isHeight = /^[0-9]{1,15}$/.test(height)
  const go = (event: Event) => {
    event.preventDefault()
    if (isHeight) void drop(Number(height))
  }
  return (
    <form class="row" onSubmit={go}>
      <label for="drop-height">Back to block</label>
      <input
        id="drop-height"
        class="in mono"
        inputmode="numeric"
        autocomplete="off"
        maxLength={15}
        placeholder={String(Math.max(0, (chain?.head.number ?? 0) - 1))}
        value={height}
        onInput={(event) => setHeight(event.currentTarget.value.trim())}
      />
      <Button
        icon="trash"
        type="submit"
        disabled={!chain || !isHeight}
        title="The blocks above it are gone until they are mined anew"
      >
        Drop
      </Button>
    </form>
  )
}

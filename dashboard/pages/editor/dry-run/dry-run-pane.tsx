import { useEffect, useState } from 'preact/hooks'
import { useLive } from '../../../api/live.ts'
import { useCall } from '../../../api/use-call.ts'
import { Card } from '../../../parts/card.tsx'
import { Segmented } from '../../../parts/forms/segmented.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { MOD_KEY } from '../../../shell/keys/mod-key.ts'
import { changeQuery } from '../../../shell/routing/router.ts'
import type { EditorModel } from '../use-editor.ts'
import { DryRunOutcome } from './dry-run-outcome.tsx'
import { ExpectedCost } from './expected-cost.tsx'
import type { DryRun, Estimating } from './use-runs.ts'

/** Numbers, decimal or 0x, or a hash. */
const BLOCK = /^([0-9]{1,16}|0x[0-9a-fA-F]{1,13}|0x[0-9a-fA-F]{64})$/

export function DryRunPane(props: {
  model: EditorModel
  dryRun: DryRun
  estimating: Estimating
  /** Empty for the latest. */
  block: string
  onRun(block?: string): void
}) {
  const { model, dryRun, block } = props
  return (
    <Card title="Dry run" acts={<span class="hint">free</span>} label="Dry run">
      <div class="cb col">
        <BlockChoice model={model} block={block} isRunning={dryRun.isRunning} onRun={props.onRun} />
        <DryRunOutcome model={model} dryRun={dryRun} />
      </div>
      <div class="cb lines-top pad col">
        <ExpectedCost
          estimating={props.estimating}
          skipsEmpty={model.draft.skipEmpty}
          query={model.draft.query}
          tested={dryRun.result?.figures.block.number ?? null}
          onBlock={(number) => {
            changeQuery({ block: String(number) })
            props.onRun(String(number))
          }}
        />
      </div>
    </Card>
  )
}

function BlockChoice(props: {
  model: EditorModel
  block: string
  isRunning: boolean
  onRun(): void
}) {
  const { block, model } = props
  const head = useHead(model.draft.network)
  const [isPinned, setPinned] = useState(block !== '')
  const isLatest = !isPinned && block === ''
  const isWrong = block !== '' && !BLOCK.test(block)
  const mayRun = model.problems.length === 0 && !isWrong
  const choose = (which: 'latest' | 'block') => {
    setPinned(which === 'block')
    changeQuery({ block: which === 'latest' || head === null ? null : String(head) })
  }
  return (
    <>
      <div class="row">
        <Segmented
          label="Which block"
          value={isLatest ? 'latest' : 'block'}
          options={[
            { value: 'latest', text: 'Latest' },
            { value: 'block', text: 'Block' },
          ]}
          onChange={choose}
        />
        <input
          class="in mono grow"
          aria-label="Block number or hash"
          aria-invalid={isWrong ? 'true' : undefined}
          readOnly={isLatest}
          maxLength={66}
          value={isLatest ? (head ?? '') : block}
          onInput={(event) => changeQuery({ block: event.currentTarget.value.trim() })}
        />
        <button
          class="btn primary"
          type="button"
          aria-disabled={!mayRun}
          title={mayRun ? 'Runs the query on this block' : 'The query has a problem'}
          onClick={() => mayRun && props.onRun()}
        >
          <Icon name="play" small />
          {props.isRunning ? 'Running' : 'Run'} <kbd>{MOD_KEY}↵</kbd>
        </button>
      </div>
      {isWrong && (
        <p class="hint bad" role="alert">
          A block is a number, decimal or 0x, or a hash of 32 bytes.
        </p>
      )}
    </>
  )
}

/** The height of a network's newest block, which follows it; null before it is known. */
function useHead(network: string): number | null {
  const { data } = useCall('listNetworks')
  const known = data?.data.find(({ id }) => id === network)?.head?.number ?? null
  const [heard, setHeard] = useState<number | null>(null)
  useEffect(() => setHeard(null), [network])
  useLive('head', (head) => head.network === network && setHeard(head.number))
  return heard ?? known
}

import { useCall } from '../../../api/use-call.ts'
import { Button } from '../../../parts/button.tsx'
import { Plot } from '../../../parts/charts/plot.tsx'
import { Figure } from '../../../parts/fact.tsx'
import { Refusal } from '../../../parts/note.tsx'
import { bytes, plural, short, whole } from '../../../parts/text/format.ts'
import { matchedText } from './dry-run-outcome.tsx'
import type { Estimating, QueryEstimate } from './use-runs.ts'

type Sample = QueryEstimate['sample'][number]

const WIDTH = 400
const HEIGHT = 36
const SMALLEST = 3

/** Marks are no wider than where so many stand side by side. */
const MARKS_MIN = 50

/** What the query would cost in a month, at the pace of the last blocks. */
export function ExpectedCost(props: {
  estimating: Estimating
  skipsEmpty: boolean
  query: string
  /** The block of the dry run. */
  tested: number | null
  onBlock(number: number): void
}) {
  const { estimating, skipsEmpty } = props
  const { result: estimate, isRunning, fault } = estimating
  return (
    <>
      <div class="spread">
        <h3>Expected cost</h3>
        <span class="hint" role="status">
          {isRunning
            ? 'reading the last blocks…'
            : estimate
              ? `from the last ${plural(estimate.blocks, 'block')}`
              : ''}
        </span>
      </div>
      <Refusal class="hint bad">{fault}</Refusal>
      {!estimate && !fault && <p class="hint">A run also tries the last 50 blocks, for free.</p>}
      {estimate && (
        <>
          <SampleChart sample={estimate.sample} tested={props.tested} onBlock={props.onBlock} />
          <MonthFigures estimate={estimate} skipsEmpty={skipsEmpty} />
          {estimate.query !== props.query && (
            <p class="hint">Of the query as it was when it was last run.</p>
          )}
        </>
      )}
    </>
  )
}

function MonthFigures({ estimate, skipsEmpty }: { estimate: QueryEstimate; skipsEmpty: boolean }) {
  const { month, month_every_block: every } = estimate
  const [chosen, other] = skipsEmpty ? [month, every] : [every, month]
  return (
    <>
      <div class="spread">
        <Figure
          isAlone
          name={`A month, ${skipsEmpty ? 'skipping empty blocks' : 'every block'}`}
          unit="CU"
        >
          {short(Math.round(chosen.cu))}
        </Figure>
        <Figure
          isAlone
          class="m right"
          name={skipsEmpty ? 'Every block' : 'Skipping empty blocks'}
          tone="quiet"
        >
          {short(Math.round(other.cu))}
        </Figure>
      </div>
      <PlanShare estimate={estimate} monthCu={chosen.cu} />
    </>
  )
}

function PlanShare({ estimate, monthCu }: { estimate: QueryEstimate; monthCu: number }) {
  const usage = useCall('getUsageSummary').data?.data
  const matched = estimate.blocks - estimate.empty
  const facts =
    `${whole(matched)} of ${whole(estimate.blocks)} blocks matched` +
    (estimate.delivered > 0
      ? `, ${bytes(Math.round(estimate.bytes / estimate.delivered))} on average, 0.04 CU a byte.`
      : '.')
  if (!usage?.limit_cu) return <p class="hint">{facts} The plan has no monthly limit.</p>
  const used = usage.percent_used ?? 0
  const share = (monthCu / usage.limit_cu) * 100
  return (
    <>
      <Plot class="bar b10" width={100} height={1} label="Share of the monthly plan">
        <rect x="0" width={Math.min(100, used)} height="1" class="f6" />
        <rect x={Math.min(100, used)} width={Math.max(0.6, share)} height="1" class="fa" />
      </Plot>
      <p class="hint">
        {share.toFixed(1)} % of the plan’s {short(usage.limit_cu)}, on top of the {used} % used so
        far. {facts}
      </p>
    </>
  )
}

function SampleChart(props: {
  sample: readonly Sample[]
  tested: number | null
  onBlock(number: number): void
}) {
  const { sample, tested } = props
  const most = Math.max(1, ...sample.map(({ bytes }) => bytes))
  const step = WIDTH / Math.max(MARKS_MIN, sample.length)
  const left = WIDTH - step * sample.length
  const empty = sample.filter((block) => block.empty).length
  const last = sample.findLast((block) => !block.empty)
  return (
    <>
      <Plot
        class="sample"
        width={WIDTH}
        height={HEIGHT}
        label={`Size of the result on each of the last ${sample.length} blocks; ${empty} were empty`}
      >
        {sample.map((block, at) => {
          const tall = block.empty ? SMALLEST : Math.max(SMALLEST * 2, (block.bytes / most) * 34)
          const tone = block.empty ? 'ghost-bar' : block.number === tested ? 'f1' : 'f2'
          const shape = { x: left + at * step, y: HEIGHT - tall, width: step * 0.8, height: tall }
          return <rect key={block.number} {...shape} class={tone} data-tip={tipOf(block)} />
        })}
      </Plot>
      {last && last.number !== tested && (
        <Button class="sm ghost matched-block" onClick={() => props.onBlock(last.number)}>
          Run on block {whole(last.number)}, the last that matched
        </Button>
      )}
    </>
  )
}

function tipOf({ number, empty, matched, bytes: size }: Sample): string {
  return `Block ${whole(number)}\n${empty ? 'Nothing matched' : matchedText(matched)}, ${bytes(size)}`
}

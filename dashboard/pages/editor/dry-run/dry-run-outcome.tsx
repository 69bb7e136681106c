import { BoxedFact } from '../../../parts/fact.tsx'
import { Note } from '../../../parts/note.tsx'
import { PlainCode } from '../../../parts/text/code-block.tsx'
import { bytes, cu, plural, whole } from '../../../parts/text/format.ts'
import { JsonText } from '../../../parts/text/json-text.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import type { EditorModel } from '../use-editor.ts'
import type { DryRun, DryRunResult } from './use-runs.ts'

const LIST_WORDS: Readonly<Record<string, readonly [string, string]>> = {
  logs: ['log', 'logs'],
  transactions: ['transaction', 'transactions'],
  callTracerTraces: ['call', 'calls'],
}

export function DryRunOutcome({ model, dryRun }: { model: EditorModel; dryRun: DryRun }) {
  const { result, fault } = dryRun
  return (
    <>
      {fault && (
        <Note tone="bad" icon="warn" role="alert">
          {fault}
        </Note>
      )}
      {!result && !fault && (
        <Note icon="info">
          Run it to see what would be delivered for a block, and what that costs.
        </Note>
      )}
      {result && (
        <>
          <Standing model={model} dryRun={dryRun} result={result} />
          <Figures result={result} />
          <Emptiness result={result} skipsEmpty={model.draft.skipEmpty} />
          <PlainCode name="event.data" text={result.text} what="the whole result">
            <JsonText text={result.text} />
          </PlainCode>
        </>
      )}
    </>
  )
}

/** The last good result stays, and says so. */
function Standing(props: { model: EditorModel; dryRun: DryRun; result: DryRunResult }) {
  const { model, dryRun, result } = props
  const { draft, problems } = model
  const ago = <TimeAgo at={result.atMs} />
  const isOther = result.query !== draft.query || result.network !== draft.network
  const old =
    problems.length > 0
      ? ['The query has a problem, so this is the result of the last good version, ', ago, '.']
      : dryRun.fault
        ? ['This is the result of the last run that worked, ', ago, '.']
        : isOther && ['The query has changed since this result, ', ago, '. Run it again.']
  if (old) {
    return (
      <Note tone="warn" icon="info">
        {old}
      </Note>
    )
  }
  return (
    <p class="hint" role="status">
      Block {whole(result.figures.block.number)}, run {ago}
    </p>
  )
}

function Figures({ result }: { result: DryRunResult }) {
  const { figures } = result
  return (
    <dl class="rescost">
      <BoxedFact name="Matched">{matchedText(figures.matched)}</BoxedFact>
      <BoxedFact name="Body">{bytes(figures.bytes)}</BoxedFact>
      <BoxedFact name="Delivery">{cu(figures.cu)}</BoxedFact>
    </dl>
  )
}

/** Why nothing came, and what it means for deliveries; also what was cut. */
function Emptiness({ result, skipsEmpty }: { result: DryRunResult; skipsEmpty: boolean }) {
  const { empty, variables = [], truncated, truncation_reason } = result.figures
  return (
    <>
      {variables.length > 0 && (
        <Note tone="warn" icon="info">
          The team has no {variables.map((name) => `$${name}`).join(', ')} yet. Whatever needs{' '}
          {variables.length === 1 ? 'it' : 'them'} matches nothing.
        </Note>
      )}
      {empty && (
        <Note icon="info">
          Empty: nothing in this block matches.{' '}
          {skipsEmpty
            ? 'With skip_empty_messages it would not be delivered.'
            : 'It would be delivered all the same: empty blocks are not skipped.'}
        </Note>
      )}
      {truncated && (
        <Note tone="warn" icon="info">
          Lists were cut: {truncation_reason}
        </Note>
      )}
    </>
  )
}

export function matchedText(matched: Readonly<Record<string, number>>): string {
  const lists = Object.entries(matched)
  if (lists.length === 0) return 'The block'
  return lists
    .map(([name, count]) => {
      const [one, many] = LIST_WORDS[name] ?? [name, name]
      return plural(count, one, many)
    })
    .join(', ')
}

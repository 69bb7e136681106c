import { Button } from '../../parts/button.tsx'
import { plural } from '../../parts/text/format.ts'
import type { QueryEditor } from './code/mount-query-editor.ts'
import type { DraftFaults, EditorModel } from './use-editor.ts'

const FIELD_WORDS: Readonly<Record<keyof DraftFaults, string>> = {
  name: 'the name',
  network: 'the network',
  query: 'the query',
  url: 'the destination',
  app: 'the app',
  other: '',
}

export function SaveBar({ model, editor }: { model: EditorModel; editor: QueryEditor | null }) {
  const { webhook, problems, faults, isSaving } = model
  const verb = webhook ? 'save' : 'create'
  const [problem] = problems
  const [field] = Object.keys(faults) as (keyof DraftFaults)[]
  const inWay = problem
    ? problem.line === null
      ? problem.message
      : `The query has a problem on line ${problem.line}`
    : ''
  const isIdle = webhook !== null && !model.isChanged
  return (
    <div class="savebar">
      <BarState model={model} verb={verb} />
      {problem && problem.line !== null && (
        <Button
          class="ghost sm goto"
          onClick={() => editor?.goTo(problem.line ?? 1, problem.column ?? 1)}
        >
          Go to line {problem.line}
        </Button>
      )}
      {!problem && field && field !== 'other' && (
        <Button class="ghost sm goto" onClick={() => focusField(field)}>
          Go to {FIELD_WORDS[field]}
        </Button>
      )}
      <span class="grow" />
      <Button class="ghost" href={webhook ? `/webhooks/${webhook.id}` : '/webhooks'}>
        Cancel
      </Button>
      <Button
        class="primary"
        aria-disabled={inWay !== '' || isIdle}
        title={inWay || (isIdle ? 'Nothing has changed' : '')}
        disabled={isSaving}
        onClick={() => {
          if (!inWay && !isIdle) void model.save()
        }}
      >
        {isSaving ? 'Saving…' : webhook ? 'Save changes' : 'Create webhook'}
      </Button>
    </div>
  )
}

function BarState({ model, verb }: { model: EditorModel; verb: string }) {
  const { problems, faults, webhook, isChanged } = model
  const [fault] = Object.values(faults)
  const [tone, text] =
    problems.length > 0
      ? ['bad', `Fix ${plural(problems.length, 'problem')} to ${verb} it`]
      : fault
        ? ['bad', fault]
        : isChanged
          ? ['idle', webhook ? 'Changes are not saved yet' : 'Not created yet']
          : ['idle', webhook ? 'Nothing has changed' : 'Nothing is saved yet']
  return (
    <span class="st" role={tone === 'bad' ? 'alert' : 'status'}>
      <span class={`dot ${tone}`} />
      <span>{text}</span>
    </span>
  )
}

function focusField(field: string): void {
  const part = document.querySelector(`[data-field="${field}"]`)
  const control = part?.querySelector<HTMLElement>('input, select, textarea')
  control?.focus()
  part?.scrollIntoView({ block: 'center' })
}

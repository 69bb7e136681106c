import { useEffect, useRef, useState } from 'preact/hooks'
import { useCall } from '../../../api/use-call.ts'
import { IconButton } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { plural } from '../../../parts/text/format.ts'
import type { QueryEditor } from '../code/mount-query-editor.ts'
import type { EditorModel } from '../use-editor.ts'

type Props = {
  model: EditorModel
  editor: QueryEditor | null
  /** Told once the editor is there, and null when it goes. */
  onEditor(editor: QueryEditor | null): void
  onRun(): void
}

export function QueryCard(props: Props) {
  const { model, editor } = props
  const [isSchemaOpen, openSchema] = useState(false)
  return (
    <section class="code editorbox" aria-label="Query" data-field="query">
      <div class="codehead">
        <span class="strong500 ckw">Query</span>
        <span class="grow" />
        <CheckState model={model} />
        <span class="sepv" />
        <IconButton
          class="sm"
          icon="filter"
          label="Format the query"
          title="Format  ⇧⌥F"
          onClick={() => editor?.format()}
        />
        <IconButton
          class="sm"
          icon="book"
          label="Schema"
          title="Schema"
          onClick={() => openSchema(true)}
        />
      </div>
      <QueryBox {...props} />
      {isSchemaOpen && <SchemaDialog onClose={() => openSchema(false)} />}
    </section>
  )
}

/** In words for all, and for screen readers with the first problem and its place. */
function CheckState({ model }: { model: EditorModel }) {
  const { problems, checked, draft } = model
  const [first] = problems
  const isChecked = checked.check?.ok && checked.of === draft.query
  const [tone, words] = checked.fault
    ? ['warn', `Not checked: ${checked.fault}`]
    : first
      ? ['bad', plural(problems.length, 'problem')]
      : isChecked
        ? ['ok', 'Compiles']
        : ['idle', 'Checking']
  const isBad = checked.fault !== '' || first !== undefined
  return (
    <span class={isBad ? 'st badc' : 'st'} role="status" title={checked.fault || undefined}>
      <span class={`dot ${tone}`} />
      {words}
      {tone === 'bad' && first && (
        <span class="vh">
          {first.line === null ? '' : `, in line ${first.line}`}: {first.message}
        </span>
      )}
    </span>
  )
}

function SchemaDialog({ onClose }: { onClose(): void }) {
  const { data } = useCall('getQuerySchema')
  return (
    <Dialog title="Schema" isWide onClose={onClose}>
      <p>
        All that a query can ask for. The editor lists it as you write, and tells it when you point
        at a field.
      </p>
      <div class="code">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
        <pre class="schema" tabIndex={0}>
          {data ?? ''}
        </pre>
      </div>
    </Dialog>
  )
}

/** The editor. Its code is a file of its own; until it is there, the text is shown as it is. */
function QueryBox(props: Props) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const { editor, model } = props
  const schema = useCall('getQuerySchema').data
  useEffect(() => {
    let opened: QueryEditor | null = null
    let isGone = false
    void import('../code/mount-query-editor.ts').then(({ mountQueryEditor }) => {
      if (isGone || !host.current) return
      opened = mountQueryEditor(host.current, {
        text: latest.current.model.draft.query,
        onChange: (query) => latest.current.model.change({ query }),
        onRun: () => latest.current.onRun(),
      })
      latest.current.onEditor(opened)
    })
    return () => {
      isGone = true
      opened?.close()
      latest.current.onEditor(null)
    }
  }, [])
  useEffect(() => editor?.showProblems(model.problems), [editor, model.problems])
  useEffect(() => {
    if (schema !== undefined) editor?.setSchema(schema)
  }, [editor, schema])
  return (
    <>
      {!editor && <pre class="editor unmounted">{model.draft.query}</pre>}
      <div class="query-editor" ref={host} />
    </>
  )
}

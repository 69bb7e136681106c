import { useEffect, useRef, useState } from 'preact/hooks'
import { useCall } from '../../../api/use-call.ts'
import type { QueryEditor } from '../code/mount-query-editor.ts'
import type { QueryProblem } from './query-problem.ts'

type BoxProps = {
  text: string
  /** Counts how often the text was replaced by others than who writes it. */
  replaced: number
  problems: readonly QueryProblem[]
  onChange(text: string): void
  onRun(): void
  /** Told once the editor is there, and null when it goes. */
  onEditor(editor: QueryEditor | null): void
}

/** The editor. Its code is a file of its own; until it is there, the text is shown as it is. */
export function QueryBox(props: BoxProps) {
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [editor, setEditor] = useState<QueryEditor | null>(null)
  const schema = useCall('getQuerySchema').data
  useEffect(() => {
    let opened: QueryEditor | null = null
    let isGone = false
    void import('../code/mount-query-editor.ts').then(({ mountQueryEditor }) => {
      if (isGone || !host.current) return
      opened = mountQueryEditor(host.current, {
        text: latest.current.text,
        onChange: (text) => latest.current.onChange(text),
        onRun: () => latest.current.onRun(),
      })
      setEditor(opened)
      latest.current.onEditor(opened)
    })
    return () => {
      isGone = true
      opened?.close()
      latest.current.onEditor(null)
    }
  }, [])
  // The text that comes back while somebody writes is older than the editor's own.
  useEffect(() => editor?.setText(latest.current.text), [editor, props.replaced])
  useEffect(() => editor?.showProblems(props.problems), [editor, props.problems])
  useEffect(() => {
    if (schema !== undefined) editor?.setSchema(schema)
  }, [editor, schema])
  return (
    <>
      {!editor && <pre class="editor unmounted">{props.text}</pre>}
      <div class="query-editor" ref={host} />
    </>
  )
}

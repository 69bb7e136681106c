import { useEffect, useRef } from 'preact/hooks'
import { useCall } from '../../../api/use-call.ts'
import type { QueryEditor } from '../code/mount-query-editor.ts'
import type { QueryProblem } from './query-problem.ts'

type BoxProps = {
  text: string
  editor: QueryEditor | null
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
  const { editor } = props
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
      latest.current.onEditor(opened)
    })
    return () => {
      isGone = true
      opened?.close()
      latest.current.onEditor(null)
    }
  }, [])
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

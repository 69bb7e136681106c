import { BasicsCard } from './basics-card.tsx'
import type { QueryEditor } from './code/mount-query-editor.ts'
import { DestinationCard } from './destination-card.tsx'
import { QueryCard } from './query/query-card.tsx'
import type { EditorModel } from './use-editor.ts'
import { VariablesCard } from './variables-card.tsx'

/** The parts of the form that are saved. */
export function EditorParts(props: {
  model: EditorModel
  /** The block of dry runs and tests; empty for the latest. */
  block: string
  editor: QueryEditor | null
  onEditor(editor: QueryEditor | null): void
  onRun(): void
}) {
  const { model } = props
  return (
    <div class="col g16">
      <BasicsCard model={model} />
      <QueryCard
        model={model}
        editor={props.editor}
        onEditor={props.onEditor}
        onRun={props.onRun}
      />
      <VariablesCard model={model} />
      <DestinationCard model={model} block={props.block} />
    </div>
  )
}

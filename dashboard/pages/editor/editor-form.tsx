import type { Webhook } from '@headgate/client'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { useLazyPart } from '../../parts/use-lazy-part.ts'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import { BasicsCard } from './basics-card.tsx'
import type { QueryEditor } from './code/mount-query-editor.ts'
import { DestinationCard } from './destination-card.tsx'
import { DryRunPane } from './dry-run/dry-run-pane.tsx'
import { useRuns } from './dry-run/use-runs.ts'
import { QueryCard } from './query/query-card.tsx'
import type { Recipe } from './recipes.ts'
import { SaveBar } from './save-bar.tsx'
import { type EditorModel, useEditor } from './use-editor.ts'
import { VariablesCard } from './variables-card.tsx'
import type { Draft } from './webhook-draft.ts'

export function EditorForm({ initial, webhook }: { initial: Draft; webhook: Webhook | null }) {
  const model = useEditor(initial, webhook)
  const block = usePlace().query.get('block') ?? ''
  const [editor, setEditor] = useState<QueryEditor | null>(null)
  const { dryRun, estimating, run } = useRuns(model, block)
  const save = () => model.problems.length === 0 && void model.save()
  useShortcuts([
    { keys: 'mod+enter', does: 'Run the query', run: () => run() },
    { keys: 'mod+s', does: 'Save the webhook', run: save },
  ])
  return (
    <>
      <EditorHead model={model} editor={editor} />
      <div class="edit">
        <div class="col g16">
          <BasicsCard model={model} />
          <QueryCard model={model} editor={editor} onEditor={setEditor} onRun={() => run()} />
          <VariablesCard model={model} />
          <DestinationCard model={model} block={block} />
        </div>
        <div class="right-pane col g16">
          <DryRunPane
            model={model}
            dryRun={dryRun}
            estimating={estimating}
            block={block}
            onRun={run}
          />
        </div>
      </div>
      <SaveBar model={model} editor={editor} />
    </>
  )
}

function EditorHead({ model, editor }: { model: EditorModel; editor: QueryEditor | null }) {
  const isOpen = usePlace().query.has('templates')
  const Templates = useLazyPart(isOpen, async () => {
    return (await import('./templates-dialog.tsx')).TemplatesDialog
  })
  const choose = ({ title, query, skipEmpty }: Recipe) => {
    const { name } = model.draft
    model.change({ query, skipEmpty, name: name || title })
    editor?.setText(query)
    changeQuery({ templates: null })
  }
  return (
    <div class="head">
      <h1>{model.webhook ? `Edit ${model.webhook.name || model.webhook.id}` : 'New webhook'}</h1>
      <div class="acts">
        <Button icon="book" onClick={() => changeQuery({ templates: '1' })}>
          Start from a template
        </Button>
      </div>
      {Templates && (
        <Templates onChoose={choose} onClose={() => changeQuery({ templates: null })} />
      )}
    </div>
  )
}

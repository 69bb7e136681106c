import { useMemo, useRef, useState } from 'preact/hooks'
import type { WireWebhook } from '../../api/wire.ts'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { usePlace } from '../../shell/routing/router.ts'
import type { QueryEditor } from './code/mount-query-editor.ts'
import { DryRunPane } from './dry-run/dry-run-pane.tsx'
import { useRuns } from './dry-run/use-runs.ts'
import { EditorHead } from './editor-head.tsx'
import { EditorParts } from './editor-parts.tsx'
import { SaveBar } from './save-bar.tsx'
import { useEditor } from './use-editor.ts'
import type { Draft } from './webhook-draft.ts'

/** A webhook that is written: the form, and beside it what the query does on a real block. */
export function EditorForm({ initial, webhook }: { initial: Draft; webhook: WireWebhook | null }) {
  const model = useEditor(initial, webhook)
  const block = usePlace().query.get('block') ?? ''
  const [editor, setEditor] = useState<QueryEditor | null>(null)
  const { dryRun, estimating, run } = useRuns(model, block)
  const latest = useRef({ run, save: model.save, mayS: model.problems.length === 0 })
  latest.current = { run, save: model.save, mayS: model.problems.length === 0 }
  const shortcuts = useMemo(
    () => [
      { keys: 'mod+enter', does: 'Run the query', run: () => latest.current.run() },
      {
        keys: 'mod+s',
        does: 'Save the webhook',
        run: () => latest.current.mayS && void latest.current.save(),
      },
    ],
    [],
  )
  useShortcuts(shortcuts)
  return (
    <>
      <EditorHead model={model} />
      <div class="edit">
        <EditorParts
          model={model}
          block={block}
          editor={editor}
          onEditor={setEditor}
          onRun={() => run()}
        />
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

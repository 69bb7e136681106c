import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import type { Recipe } from './recipes.ts'
import type { TemplatesDialog } from './templates-dialog.tsx'
import type { EditorModel } from './use-editor.ts'

type Templates = ComponentType<Parameters<typeof TemplatesDialog>[0]>

/** The heading, and the way to a template; the cookbook is loaded when it is opened. */
export function EditorHead({ model }: { model: EditorModel }) {
  const isOpen = usePlace().query.has('templates')
  const [loaded, setLoaded] = useState<{ dialog: Templates } | null>(null)
  useEffect(() => {
    if (!isOpen || loaded) return
    void import('./templates-dialog.tsx').then(({ TemplatesDialog: dialog }) =>
      setLoaded({ dialog }),
    )
  }, [isOpen, loaded])
  const choose = ({ title, query, skipEmpty }: Recipe) => {
    const { name } = model.draft
    model.replace({ query, skipEmpty, name: name || title })
    changeQuery({ templates: null })
  }
  const Dialog = loaded?.dialog
  return (
    <div class="head">
      <h1>{model.webhook ? `Edit ${model.webhook.name || model.webhook.id}` : 'New webhook'}</h1>
      <div class="acts">
        <button class="btn" type="button" onClick={() => changeQuery({ templates: '1' })}>
          <Icon name="book" />
          Start from a template
        </button>
      </div>
      {isOpen && Dialog && (
        <Dialog onChoose={choose} onClose={() => changeQuery({ templates: null })} />
      )}
    </div>
  )
}

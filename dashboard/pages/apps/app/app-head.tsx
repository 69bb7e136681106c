import { useState } from 'preact/hooks'
import type { WireApp } from '../../../api/wire.ts'
import { Icon } from '../../../parts/icon.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { switchApp } from '../app-changes.ts'
import { DeleteAppDialog, RotateKeyDialog } from './app-confirms.tsx'
import { EditAppDialog } from './edit-app-dialog.tsx'

type Asking = 'edit' | 'rotate' | 'delete' | null

export function AppHead({ app }: { app: WireApp }) {
  const [asking, ask] = useState<Asking>(null)
  const close = () => ask(null)
  return (
    <div class="head">
      <h1 class="wraps">{app.name}</h1>
      <span class={app.is_active ? 'tag ok' : 'tag'}>
        <span class={app.is_active ? 'dot ok' : 'dot ring'} />
        {app.is_active ? 'Active' : 'Inactive: its key gets 403'}
      </span>
      <div class="acts">
        <button class="btn" type="button" onClick={() => ask('edit')}>
          <Icon name="edit" />
          Edit
        </button>
        <button class="btn" type="button" onClick={() => ask('rotate')}>
          <Icon name="rotate" />
          Rotate key
        </button>
        <button
          class={app.is_active ? 'btn danger' : 'btn'}
          type="button"
          onClick={() => void switchApp(app)}
        >
          {app.is_active ? 'Deactivate' : 'Activate'}
        </button>
        <button
          class="ib"
          type="button"
          aria-label={`Delete ${app.name}`}
          title="Delete"
          onClick={() => ask('delete')}
        >
          <Icon name="trash" />
        </button>
      </div>
      <p class="sub wraps">
        {app.description && `${app.description} · `}
        <span class="mono tiny">{app.id}</span> · created <TimeAgo at={app.time_created} />
      </p>
      {asking === 'edit' && <EditAppDialog app={app} onClose={close} />}
      {asking === 'rotate' && <RotateKeyDialog app={app} onClose={close} />}
      {asking === 'delete' && <DeleteAppDialog app={app} onClose={close} />}
    </div>
  )
}

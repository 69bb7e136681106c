import type { Variable } from '@headgate/client'
import { useState } from 'preact/hooks'
import { callApi } from '../../api/call-api.ts'
import { invalidate, patchAnswers, useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/dialog.tsx'
import { LoadFault } from '../../parts/empty.tsx'
import { Tag } from '../../parts/state.tsx'
import { plural, whole } from '../../parts/text/format.ts'
import { ItemsForm } from './items-form.tsx'
import { ItemsPage } from './items-page.tsx'

export function VariableDetail({ name, onBack }: { name: string; onBack(): void }) {
  const { data, error, reload } = useCall('listVariables')
  const variable = data?.data.find((each) => each.name === name)
  const [isDeleting, setDeleting] = useState(false)
  if (error && !data) return <LoadFault error={error} retry={reload} />
  return (
    <div class="col g16">
      <div class="row wrap">
        <Button class="sm ghost" onClick={onBack}>
          ← All variables
        </Button>
        <code class="strong">${name}</code>
        {variable && <Tag>{variable.kind}</Tag>}
        <span class="quiet small">{variable ? plural(variable.items, 'item') : ''}</span>
        <span class="grow" />
        <Button
          class="sm danger"
          icon="trash"
          disabled={!variable}
          onClick={() => setDeleting(true)}
        >
          Delete
        </Button>
      </div>
      {variable && <UsedBy variable={variable} />}
      {data && !variable && <p class="note">The team has no variable ${name} any more.</p>}
      {variable && (
        <>
          <ItemsPage name={name} total={variable.items} />
          <ItemsForm
            name={name}
            kind={variable.kind}
            label={`Add to or take from $${name}`}
            mayTakeAway
            isMain
          />
        </>
      )}
      {isDeleting && variable && (
        <DeleteVariable variable={variable} onClose={() => setDeleting(false)} onDone={onBack} />
      )}
    </div>
  )
}

function UsedBy({ variable }: { variable: Variable }) {
  const webhooks = useCall('listWebhooks').data?.data ?? []
  const using = webhooks.filter(({ id }) => variable.webhook_ids.includes(id))
  if (variable.webhook_ids.length === 0) {
    return <p class="hint">No webhook names it yet.</p>
  }
  return (
    <p class="hint">
      Used by{' '}
      {using.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <a href={`/webhooks/${id}`}>{name || id}</a>
        </span>
      ))}
      . A change acts on {using.length === 1 ? 'it' : 'all of them'} from the next block on.
    </p>
  )
}

function DeleteVariable(props: { variable: Variable; onClose(): void; onDone(): void }) {
  const { name, items, webhook_ids } = props.variable
  const remove = async () => {
    await callApi('deleteVariable', { parameters: { name } })
    patchAnswers('listVariables', (answer) => ({
      ...answer,
      data: answer.data.filter((variable) => variable.name !== name),
    }))
    invalidate('listVariables', 'listVariableItems')
    props.onDone()
  }
  return (
    <ConfirmDialog
      title={`Delete $${name}`}
      action={`Delete ${plural(items, 'item')}`}
      typed={name}
      onConfirm={remove}
      onClose={props.onClose}
    >
      <p>
        Its {whole(items)} items are gone for good.{' '}
        {webhook_ids.length > 0 &&
          `${plural(webhook_ids.length, 'webhook')} that name it match nothing there until there ` +
            'is one of this name again.'}
      </p>
    </ConfirmDialog>
  )
}

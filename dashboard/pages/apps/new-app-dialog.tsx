import { useId, useState } from 'preact/hooks'
import { messageOf } from '../../api/api-error.ts'
import { callApi } from '../../api/call-api.ts'
import { invalidate, useCall } from '../../api/use-call.ts'
import type { NetworkReport } from '../../api/wire.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { FormFoot } from '../../parts/forms/form-foot.tsx'
import { NetworkName, Tag } from '../../parts/state.tsx'
import { MOD_KEY } from '../../shell/keys/mod-key.ts'
import { navigate } from '../../shell/routing/router.ts'
import { say } from '../../shell/toasts.tsx'

const NAME_LENGTH_MAX = 100

/** A new app: a name and the networks that its key opens. */
export function NewAppDialog({ onClose }: { onClose(): void }) {
  const formId = useId()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const available = useCall('listNetworks').data?.data ?? []
  // All are open at first: a key that works everywhere surprises nobody.
  const networks = chosen ?? available.map(({ id }) => id)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    try {
      const { data } = await callApi('createApp', {
        body: { name: name.trim(), description: description.trim(), networks: [...networks] },
      })
      invalidate('listApps')
      say(`${data.name} is ready. Its key works now.`)
      navigate(`/apps/${data.id}`, { replace: true })
    } catch (thrown) {
      setFault(messageOf(thrown))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title="New app"
      onClose={onClose}
      foot={
        <FormFoot formId={formId} onClose={onClose}>
          Create app <kbd>{MOD_KEY}↵</kbd>
        </FormFoot>
      }
    >
      <form id={formId} class="col g16" onSubmit={submit} onKeyDown={submitOnModEnter}>
        <TextField
          isFirst
          label="Name"
          value={name}
          maxLength={NAME_LENGTH_MAX}
          onChange={setName}
        />
        <TextField
          label="Description, optional"
          placeholder="What will call with this key?"
          value={description}
          maxLength={1000}
          onChange={setDescription}
        />
        <NetworkChecks available={available} chosen={networks} onChange={setChosen} />
        {fault && (
          <p class="note bad" role="alert">
            {fault}
          </p>
        )}
      </form>
    </Dialog>
  )
}

function NetworkChecks(props: {
  available: readonly NetworkReport[]
  chosen: readonly string[]
  onChange(chosen: readonly string[]): void
}) {
  const { available, chosen } = props
  const toggle = (id: string) =>
    props.onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  return (
    <fieldset class="field">
      <legend class="lab">Networks</legend>
      <div class="checks">
        {available.map(({ id, kind }) => (
          <label key={id}>
            <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
            <NetworkName id={id} />
            <span class="grow" />
            <Tag>{kind}</Tag>
          </label>
        ))}
      </div>
      <p class="hint">More can be added later. The key stays the same.</p>
    </fieldset>
  )
}

/** Ctrl or ⌘ with Enter creates from any field. */
function submitOnModEnter(event: KeyboardEvent & { currentTarget: HTMLFormElement }): void {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

import type { Network } from '@headgate/client'
import { useState } from 'preact/hooks'
import { callApi } from '../../api/call-api.ts'
import { invalidate, useCall } from '../../api/use-call.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { NetworkName, Tag } from '../../parts/state.tsx'
import { MOD_KEY } from '../../shell/keys/mod-key.ts'
import { navigate } from '../../shell/routing/router.ts'
import { say } from '../../shell/toasts.tsx'

export function NewAppDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const available = useCall('listNetworks').data?.data ?? []
  // All are open at first: a key that works everywhere surprises nobody.
  const networks = chosen ?? available.map(({ id }) => id)
  const create = async () => {
    // The list may still be loading when the form is sent.
    const all = async () => (await callApi('listNetworks')).data.map(({ id }) => id)
    const open = [...(chosen ?? (await all()))]
    const { data } = await callApi('createApp', {
      body: { name: name.trim(), description: description.trim(), networks: open },
    })
    invalidate('listApps')
    say(`${data.name} is ready. Its key works now.`)
    navigate(`/apps/${data.id}`, { replace: true })
  }
  const action = (
    <>
      Create app <kbd>{MOD_KEY}↵</kbd>
    </>
  )
  return (
    <FormDialog title="New app" action={action} onSend={create} onClose={onClose}>
      <TextField isFirst label="Name" value={name} maxLength={100} onChange={setName} />
      <TextField
        label="Description, optional"
        placeholder="What will call with this key?"
        value={description}
        maxLength={1000}
        onChange={setDescription}
      />
      <NetworkChecks available={available} chosen={networks} onChange={setChosen} />
    </FormDialog>
  )
}

function NetworkChecks(props: {
  available: readonly Network[]
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

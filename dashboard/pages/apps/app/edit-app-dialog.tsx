import { useId, useState } from 'preact/hooks'
import { messageOf } from '../../../api/api-error.ts'
import type { WireApp } from '../../../api/wire.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/forms/field.tsx'
import { FormFoot } from '../../../parts/forms/form-foot.tsx'
import { say } from '../../../shell/toasts.tsx'
import { sendChange } from '../app-changes.ts'

/** The words that an app goes by; its key and addresses stay. */
export function EditAppDialog({ app, onClose }: { app: WireApp; onClose(): void }) {
  const formId = useId()
  const [name, setName] = useState(app.name)
  const [description, setDescription] = useState(app.description)
  const [fault, setFault] = useState('')
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      await sendChange(app.id, { name: name.trim(), description: description.trim() })
      say(`Saved ${name.trim()}`)
      onClose()
    } catch (thrown) {
      setFault(messageOf(thrown))
    }
  }
  return (
    <Dialog
      title={`Edit ${app.name}`}
      onClose={onClose}
      foot={
        <FormFoot formId={formId} onClose={onClose}>
          Save
        </FormFoot>
      }
    >
      <form id={formId} class="col g16" onSubmit={submit}>
        <TextField isFirst label="Name" value={name} maxLength={100} onChange={setName} />
        <TextField
          label="Description, optional"
          value={description}
          maxLength={1000}
          fault={fault || undefined}
          onChange={setDescription}
        />
      </form>
    </Dialog>
  )
}

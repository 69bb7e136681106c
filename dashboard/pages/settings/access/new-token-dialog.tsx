import { useId, useState } from 'preact/hooks'
import { messageOf } from '../../../api/api-error.ts'
import { callApi } from '../../../api/call-api.ts'
import { invalidate } from '../../../api/use-call.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/forms/field.tsx'
import { FormFoot } from '../../../parts/forms/form-foot.tsx'
import { ShownOnce } from '../shown-once.tsx'

/** A new token, shown here and never again. */
export function NewTokenDialog({ onClose }: { onClose(): void }) {
  const formId = useId()
  const [name, setName] = useState('')
  const [fault, setFault] = useState('')
  const [token, setToken] = useState('')
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      const { data } = await callApi('createTeamToken', { body: { name: name.trim() } })
      invalidate('listTeamTokens')
      setToken(data.token)
    } catch (thrown) {
      setFault(messageOf(thrown))
    }
  }
  if (token) {
    return (
      <ShownOnce title={`The token ${name.trim()}`} secret={token} onClose={onClose}>
        It works now, and may do what yours may.
      </ShownOnce>
    )
  }
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      foot={
        <FormFoot formId={formId} onClose={onClose}>
          Make token
        </FormFoot>
      }
    >
      <form id={formId} class="col g16" onSubmit={submit}>
        <TextField
          isFirst
          label="Name"
          hint="Who or what uses it, so that it can be told apart when it has to go."
          placeholder="ci"
          value={name}
          maxLength={100}
          fault={fault || undefined}
          onChange={setName}
        />
      </form>
    </Dialog>
  )
}

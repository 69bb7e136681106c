import { useId, useState } from 'preact/hooks'
import { messageOf } from '../../../api/api-error.ts'
import { callApi } from '../../../api/call-api.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { SelectField, TextField } from '../../../parts/forms/field.tsx'
import { FormFoot } from '../../../parts/forms/form-foot.tsx'
import { ShownOnce } from '../shown-once.tsx'

/** A new team with its first token, which is shown here and never again. */
export function NewTeamDialog({ onClose }: { onClose(): void }) {
  const formId = useId()
  const tiers = useCall('listTiers').data?.data.map(({ name }) => name) ?? []
  const [name, setName] = useState('')
  const [tier, setTier] = useState('')
  const [fault, setFault] = useState('')
  const [token, setToken] = useState('')
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      const body = { name: name.trim(), tier: tier || (tiers[0] ?? '') }
      const { data } = await callApi('createTeam', { body })
      invalidate('listTeams')
      setToken(data.token ?? '')
    } catch (thrown) {
      setFault(messageOf(thrown))
    }
  }
  if (token) {
    return (
      <ShownOnce title={`${name.trim()} is made`} secret={token} onClose={onClose}>
        Hand this token to the team: it signs in here with it, and calls the management API.
      </ShownOnce>
    )
  }
  return (
    <Dialog
      title="New team"
      onClose={onClose}
      foot={
        <FormFoot formId={formId} onClose={onClose}>
          Make team
        </FormFoot>
      }
    >
      <form id={formId} class="col g16" onSubmit={submit}>
        <TextField isFirst label="Name" value={name} maxLength={100} onChange={setName} />
        <SelectField
          label="Tier"
          hint="It can be changed at any time."
          value={tier || (tiers[0] ?? '')}
          options={tiers.map((one) => ({ value: one, text: one }))}
          fault={fault || undefined}
          onChange={setTier}
        />
      </form>
    </Dialog>
  )
}

import { useId, useState } from 'preact/hooks'
import { messageOf } from '../../../api/api-error.ts'
import { callApi } from '../../../api/call-api.ts'
import { invalidate } from '../../../api/use-call.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { TextAreaField, TextField } from '../../../parts/forms/field.tsx'
import { FormFoot } from '../../../parts/forms/form-foot.tsx'
import { say } from '../../../shell/toasts.tsx'

const PEM_BEGINS = '-----BEGIN PUBLIC KEY-----'

/** As the service has it. */
const KEY_CHARS_MAX = 4096

/** Registers the public half of a key that signs tokens. */
export function NewJwtKeyDialog({ onClose }: { onClose(): void }) {
  const formId = useId()
  const [name, setName] = useState('')
  const [key, setKey] = useState('')
  const [fault, setFault] = useState('')
  const submit = async (event: Event) => {
    event.preventDefault()
    try {
      const body = { name: name.trim(), public_key: keyOf(key) }
      const { data } = await callApi('createJwtKey', { body })
      invalidate('listJwtKeys')
      say(`${data.name} is registered as ${data.id}`)
      onClose()
    } catch (thrown) {
      setFault(messageOf(thrown))
    }
  }
  const isOfName = fault.startsWith('name')
  return (
    <Dialog
      title="Register a JWT key"
      onClose={onClose}
      foot={
        <FormFoot formId={formId} onClose={onClose}>
          Register key
        </FormFoot>
      }
    >
      <form id={formId} class="col g16" onSubmit={submit}>
        <TextField
          isFirst
          label="Name"
          hint="The service that signs with it."
          placeholder="shop-front"
          value={name}
          maxLength={100}
          fault={isOfName ? fault : undefined}
          onChange={setName}
        />
        <TextAreaField
          label="Public key"
          hint="PEM or JWK: RSA from 2048 bits, EC on P-256, or Ed25519. Never the private key."
          placeholder={`${PEM_BEGINS}\n…`}
          rows={6}
          value={key}
          maxLength={KEY_CHARS_MAX}
          fault={fault && !isOfName ? fault : undefined}
          onChange={setKey}
        />
      </form>
    </Dialog>
  )
}

/** A JWK is sent as the object that it is; what is neither is for the service to refuse. */
function keyOf(text: string): string | Readonly<Record<string, unknown>> {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{')) return trimmed
  try {
    return JSON.parse(trimmed) as Record<string, unknown>
  } catch {
    return trimmed
  }
}

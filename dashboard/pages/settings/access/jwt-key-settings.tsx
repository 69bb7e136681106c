import { useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { TextAreaField, TextField } from '../../../parts/forms/field.tsx'
import { Tag } from '../../../parts/state.tsx'
import { Hash } from '../../../parts/text/hash.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { say } from '../../../shell/toasts.tsx'
import { CredentialsCard } from './credentials-card.tsx'

/** `jwk_` and sixteen letters, shown whole. */
const ID_ENDS = { head: 20, tail: 0 }

const PEM_BEGINS = '-----BEGIN PUBLIC KEY-----'

/** As the service has it. */
const KEY_CHARS_MAX = 4096

export function JwtKeySettings() {
  return (
    <CredentialsCard
      title="JWT keys"
      about="for pages that must not hold the key of an app"
      action="Register key"
      call={useCall('listJwtKeys')}
      listed={({ id, name, algorithm, time_created }) => ({
        id,
        name,
        tag: <Tag>{algorithm}</Tag>,
        about: (
          <>
            <Hash text={id} what={`the kid of ${name}`} ends={ID_ENDS} /> · registered{' '}
            <TimeAgo at={time_created} />
          </>
        ),
      })}
      what="key"
      lost={
        <>
          Calls with tokens that it has signed get 401 within a second. It can’t be undone: a key
          that is registered again has another <span class="ic">kid</span>.
        </>
      }
      saidOf={(name) => `${name} is revoked. Its tokens get 401.`}
      revoke={async (id) => {
        await callApi('deleteJwtKey', { parameters: { id } })
        invalidate('listJwtKeys')
      }}
      adding={(onClose) => <NewJwtKeyDialog onClose={onClose} />}
      empty={
        <Empty icon="key" title="No keys are registered">
          Your server signs a short-lived token with a private key. Headgate knows the public one,
          and takes the token instead of the key of an app.
        </Empty>
      }
      foot={
        <>
          A token names its key in <span class="ic">kid</span> and its app in{' '}
          <span class="ic">app</span>, expires (<span class="ic">exp</span>) within 24 hours, and is
          sent as <span class="ic">Authorization: Bearer</span>. The limits of the app hold for it.
        </>
      }
    />
  )
}

function NewJwtKeyDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [key, setKey] = useState('')
  const register = async () => {
    const body = { name: name.trim(), public_key: keyOf(key) }
    const { data } = await callApi('createJwtKey', { body })
    invalidate('listJwtKeys')
    say(`${data.name} is registered as ${data.id}`)
    onClose()
  }
  return (
    <FormDialog
      title="Register a JWT key"
      action="Register key"
      onSend={register}
      onClose={onClose}
    >
      <TextField
        isFirst
        label="Name"
        hint="The service that signs with it."
        placeholder="shop-front"
        value={name}
        maxLength={100}
        onChange={setName}
      />
      <TextAreaField
        label="Public key"
        hint="PEM or JWK: RSA from 2048 bits, EC on P-256, or Ed25519. Never the private key."
        placeholder={`${PEM_BEGINS}\n…`}
        rows={6}
        value={key}
        maxLength={KEY_CHARS_MAX}
        onChange={setKey}
      />
    </FormDialog>
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

import { useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import type { WireJwtKey } from '../../../api/wire.ts'
import { ConfirmDialog } from '../../../parts/dialog.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Tag } from '../../../parts/state.tsx'
import { Hash } from '../../../parts/text/hash.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { say } from '../../../shell/toasts.tsx'
import { CredentialRow, CredentialsCard } from './credentials-card.tsx'
import { NewJwtKeyDialog } from './new-jwt-key-dialog.tsx'

/** `jwk_` and sixteen letters, shown whole. */
const ID_ENDS = { head: 20, tail: 0 }

/** The public keys whose tokens speak for the team's apps. */
export function JwtKeySettings() {
  const loaded = useCall('listJwtKeys')
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<WireJwtKey | null>(null)
  return (
    <>
      <CredentialsCard
        title="JWT keys"
        about="for pages that must not hold the key of an app"
        action="Register key"
        onAdd={() => setAdding(true)}
        loaded={loaded}
        empty={<NoKeys />}
        foot={<TokenForm />}
      >
        {loaded.data?.data.map((key) => (
          <CredentialRow
            key={key.id}
            name={key.name}
            tag={<Tag>{key.algorithm}</Tag>}
            onRevoke={() => setLeaving(key)}
          >
            <Hash text={key.id} what={`the kid of ${key.name}`} ends={ID_ENDS} /> · registered{' '}
            <TimeAgo at={key.time_created} />
          </CredentialRow>
        ))}
      </CredentialsCard>
      {isAdding && <NewJwtKeyDialog onClose={() => setAdding(false)} />}
      {leaving && <RevokeDialog jwtKey={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

function NoKeys() {
  return (
    <Empty icon="key" title="No keys are registered">
      Your server signs a short-lived token with a private key. Headgate knows the public one, and
      takes the token instead of the key of an app.
    </Empty>
  )
}

function TokenForm() {
  return (
    <>
      A token names its key in <span class="ic">kid</span> and its app in{' '}
      <span class="ic">app</span>, expires (<span class="ic">exp</span>) within 24 hours, and is
      sent as <span class="ic">Authorization: Bearer</span>. The limits of the app hold for it.
    </>
  )
}

function RevokeDialog({ jwtKey, onClose }: { jwtKey: WireJwtKey; onClose(): void }) {
  const { id, name } = jwtKey
  const revoke = async () => {
    await callApi('deleteJwtKey', { parameters: { id } })
    invalidate('listJwtKeys')
    say(`${name} is revoked. Its tokens get 401.`)
  }
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      action="Revoke key"
      typed={name}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p class="quiet">
        Calls with tokens that it has signed get 401 within a second. It can’t be undone: a key that
        is registered again has another <span class="ic">kid</span>.
      </p>
    </ConfirmDialog>
  )
}

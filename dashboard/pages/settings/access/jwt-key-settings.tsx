import { useState } from 'preact/hooks'
import type { WireJwtKey } from '../../../../src/http/contract/contract.ts'
import { callApi } from '../../../api/call-api.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import { ConfirmDialog } from '../../../parts/dialog.tsx'
import { Empty, LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Tag } from '../../../parts/state.tsx'
import { Hash } from '../../../parts/text/hash.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { say } from '../../../shell/toasts.tsx'
import { NewJwtKeyDialog } from './new-jwt-key-dialog.tsx'

/** `jwk_` and sixteen letters, shown whole. */
const ID_ENDS = { head: 20, tail: 0 }

/** The public keys whose tokens speak for the team's apps. */
export function JwtKeySettings() {
  const { data, error, reload } = useCall('listJwtKeys')
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<WireJwtKey | null>(null)
  return (
    <>
      <section class="card">
        <div class="ch line">
          <h2>JWT keys</h2>
          <span class="quiet small">for pages that must not hold the key of an app</span>
          <span class="acts">
            <button class="btn primary" type="button" onClick={() => setAdding(true)}>
              <Icon name="plus" />
              Register key
            </button>
          </span>
        </div>
        {data && data.data.length > 0 && <KeyList keys={data.data} onRevoke={setLeaving} />}
        {data?.data.length === 0 && (
          <Empty icon="key" title="No keys are registered">
            Your server signs a short-lived token with a private key. Headgate knows the public one,
            and takes the token instead of the key of an app.
          </Empty>
        )}
        {!data && error ? (
          <div class="cb pad">
            <LoadFault error={error} retry={reload} />
          </div>
        ) : null}
        {!data && !error && <SkeletonRows rows={3} />}
        <div class="cf">
          <Icon name="shield" small />
          <span>
            A token names its key in <span class="ic">kid</span> and its app in{' '}
            <span class="ic">app</span>, expires (<span class="ic">exp</span>) within 24 hours, and
            is sent as <span class="ic">Authorization: Bearer</span>. The limits of the app hold for
            it.
          </span>
        </div>
      </section>
      {isAdding && <NewJwtKeyDialog onClose={() => setAdding(false)} />}
      {leaving && <RevokeDialog jwtKey={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

function KeyList(props: { keys: readonly WireJwtKey[]; onRevoke(key: WireJwtKey): void }) {
  return (
    <ul class="lines">
      {props.keys.map((key) => (
        <li key={key.id}>
          <span class="t">
            <span class="row">
              <span class="clip">{key.name}</span>
              <Tag>{key.algorithm}</Tag>
            </span>
            <span class="faint tiny wraps">
              <Hash text={key.id} what={`the kid of ${key.name}`} ends={ID_ENDS} /> · registered{' '}
              <TimeAgo at={key.time_created} />
            </span>
          </span>
          <button
            class="btn sm danger"
            type="button"
            aria-label={`Revoke ${key.name}`}
            onClick={() => props.onRevoke(key)}
          >
            Revoke
          </button>
        </li>
      ))}
    </ul>
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

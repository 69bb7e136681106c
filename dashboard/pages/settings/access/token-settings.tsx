import { useState } from 'preact/hooks'
import type { AnswerOf } from '../../../../src/http/contract/contract.ts'
import { callApi } from '../../../api/call-api.ts'
import { useVisitor } from '../../../api/session.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import { ConfirmDialog } from '../../../parts/dialog.tsx'
import { Empty, LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Tag } from '../../../parts/state.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { say } from '../../../shell/toasts.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'

type Token = AnswerOf<'listTeamTokens'>['data'][number]

/** The team's tokens: made, named and revoked. */
export function TokenSettings() {
  const { data, error, reload } = useCall('listTeamTokens')
  const [isMaking, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<Token | null>(null)
  return (
    <>
      <section class="card">
        <div class="ch line">
          <h2>Tokens</h2>
          <span class="quiet small">for the management API, and for signing in here</span>
          <span class="acts">
            <button class="btn primary" type="button" onClick={() => setMaking(true)}>
              <Icon name="plus" />
              New token
            </button>
          </span>
        </div>
        {data && data.data.length > 0 && <TokenList tokens={data.data} onRevoke={setLeaving} />}
        {data?.data.length === 0 && (
          <Empty icon="key" title="No tokens">
            A token lets a program call the management API for this team, and people sign in.
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
            One per program or person makes it easy to revoke. Tokens are sent as{' '}
            <span class="ic">X-Service-Token</span>.
          </span>
        </div>
      </section>
      {isMaking && <NewTokenDialog onClose={() => setMaking(false)} />}
      {leaving && <RevokeDialog token={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

function TokenList(props: { tokens: readonly Token[]; onRevoke(token: Token): void }) {
  const visitor = useVisitor()
  const own = visitor.kind === 'signed-in' ? visitor.session.token?.id : undefined
  return (
    <ul class="lines">
      {props.tokens.map((token) => (
        <li key={token.id}>
          <span class="t">
            <span class="row">
              <span class="clip">{token.name || 'without a name'}</span>
              {token.id === own && <Tag tone="ok">yours</Tag>}
            </span>
            <span class="faint tiny">
              <span class="mono">{token.id}</span> · made <TimeAgo at={token.time_created} />
            </span>
          </span>
          <button
            class="btn sm danger"
            type="button"
            aria-label={`Revoke ${token.name || token.id}`}
            disabled={token.id === own}
            title={token.id === own ? 'You are signed in with this one' : undefined}
            onClick={() => props.onRevoke(token)}
          >
            Revoke
          </button>
        </li>
      ))}
    </ul>
  )
}

function RevokeDialog({ token, onClose }: { token: Token; onClose(): void }) {
  const name = token.name || token.id
  const revoke = async () => {
    await callApi('deleteTeamToken', { parameters: { id: token.id } })
    invalidate('listTeamTokens', 'listSessions')
    say(`${name} is revoked`)
  }
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      action="Revoke token"
      typed={name}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p class="quiet">
        Calls with it get 401 from the next one on, and everybody who signed in with it is signed
        out. It can’t be undone.
      </p>
    </ConfirmDialog>
  )
}

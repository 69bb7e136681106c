import { useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { useVisitor } from '../../../api/session.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import type { AnswerOf } from '../../../api/wire.ts'
import { ConfirmDialog } from '../../../parts/dialog.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Tag } from '../../../parts/state.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { say } from '../../../shell/toasts.tsx'
import { CredentialRow, CredentialsCard } from './credentials-card.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'

type Token = AnswerOf<'listTeamTokens'>['data'][number]

/** The team's tokens: made, named and revoked. */
export function TokenSettings() {
  const loaded = useCall('listTeamTokens')
  const visitor = useVisitor()
  const own = visitor.kind === 'signed-in' ? visitor.session.token?.id : undefined
  const [isMaking, setMaking] = useState(false)
  const [leaving, setLeaving] = useState<Token | null>(null)
  return (
    <>
      <CredentialsCard
        title="Tokens"
        about="for the management API, and for signing in here"
        action="New token"
        onAdd={() => setMaking(true)}
        loaded={loaded}
        empty={<NoTokens />}
        foot={<TokenAdvice />}
      >
        {loaded.data?.data.map((token) => (
          <CredentialRow
            key={token.id}
            name={token.name || token.id}
            tag={token.id === own && <Tag tone="ok">yours</Tag>}
            kept={token.id === own ? 'You are signed in with this one' : undefined}
            onRevoke={() => setLeaving(token)}
          >
            <span class="mono">{token.id}</span> · made <TimeAgo at={token.time_created} />
          </CredentialRow>
        ))}
      </CredentialsCard>
      {isMaking && <NewTokenDialog onClose={() => setMaking(false)} />}
      {leaving && <RevokeDialog token={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

function NoTokens() {
  return (
    <Empty icon="key" title="No tokens">
      A token lets a program call the management API for this team, and people sign in.
    </Empty>
  )
}

function TokenAdvice() {
  return (
    <>
      One per program or person makes it easy to revoke. Tokens are sent as{' '}
      <span class="ic">X-Service-Token</span>.
    </>
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

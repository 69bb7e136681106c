import { useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { useSession } from '../../../api/session.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import { FormDialog } from '../../../parts/dialog.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { TextField } from '../../../parts/forms/field.tsx'
import { Tag } from '../../../parts/state.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { ShownOnce } from '../shown-once.tsx'
import { CredentialsCard } from './credentials-card.tsx'

export function TokenSettings() {
  const own = useSession()?.token?.id
  return (
    <CredentialsCard
      title="Tokens"
      about="for the management API, and for signing in here"
      action="New token"
      call={useCall('listTeamTokens')}
      listed={(token) => ({
        id: token.id,
        name: token.name || token.id,
        tag: token.id === own && <Tag tone="ok">yours</Tag>,
        about: (
          <>
            <span class="mono">{token.id}</span> · made <TimeAgo at={token.time_created} />
          </>
        ),
        kept: token.id === own ? 'You are signed in with this one' : undefined,
      })}
      what="token"
      lost="Calls with it get 401 from the next one on, and everybody who signed in with it is signed
        out. It can’t be undone."
      saidOf={(name) => `${name} is revoked`}
      revoke={async (id) => {
        await callApi('deleteTeamToken', { parameters: { id } })
        invalidate('listTeamTokens', 'listSessions')
      }}
      adding={(onClose) => <NewTokenDialog onClose={onClose} />}
      empty={
        <Empty icon="key" title="No tokens">
          A token lets a program call the management API for this team, and people sign in.
        </Empty>
      }
      foot={
        <>
          One per program or person makes it easy to revoke. Tokens are sent as{' '}
          <span class="ic">X-Service-Token</span>.
        </>
      }
    />
  )
}

function NewTokenDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [token, setToken] = useState('')
  const make = async () => {
    const { data } = await callApi('createTeamToken', { body: { name: name.trim() } })
    invalidate('listTeamTokens')
    setToken(data.token)
  }
  if (token) {
    return (
      <ShownOnce title={`The token ${name.trim()}`} secret={token} onClose={onClose}>
        It works now, and may do what yours may.
      </ShownOnce>
    )
  }
  return (
    <FormDialog title="New token" action="Make token" onSend={make} onClose={onClose}>
      <TextField
        isFirst
        label="Name"
        hint="Who or what uses it, so that it can be told apart when it has to go."
        placeholder="ci"
        value={name}
        maxLength={100}
        onChange={setName}
      />
    </FormDialog>
  )
}

import { callApi } from '../../../api/call-api.ts'
import { signOut, useVisitor } from '../../../api/session.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import type { WireListedSession } from '../../../api/wire.ts'
import { LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { Segmented } from '../../../parts/forms/segmented.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Tag } from '../../../parts/state.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { changeQuery, usePlace } from '../../../shell/routing/router.ts'
import { say, sayRefused } from '../../../shell/toasts.tsx'
import { browserName } from './browser-name.ts'

type Whose = 'team' | 'operator'

const WHOSE: readonly { value: Whose; text: string }[] = [
  { value: 'team', text: 'This team’s' },
  { value: 'operator', text: 'Operator’s' },
]

/** Browsers that are signed in, each of which can be signed out. */
export function SessionSettings() {
  const visitor = useVisitor()
  const { query } = usePlace()
  const isOperator = visitor.kind === 'signed-in' && visitor.session.kind === 'operator'
  const whose: Whose = isOperator && query.get('whose') !== 'team' ? 'operator' : 'team'
  const parameters = whose === 'operator' ? { 'X-Team-Id': '' } : {}
  const { data, error, reload } = useCall('listSessions', parameters)
  return (
    <section class="card">
      <div class="ch line">
        <h2>Sessions</h2>
        <span class="quiet small">browsers that are signed in</span>
        {isOperator && (
          <span class="acts">
            <Segmented
              label="Whose sessions"
              value={whose}
              options={WHOSE}
              onChange={(value) => changeQuery({ whose: value === 'team' ? value : null })}
            />
          </span>
        )}
      </div>
      {data ? (
        <SessionList sessions={data.data} parameters={parameters} />
      ) : error ? (
        <div class="cb pad">
          <LoadFault error={error} retry={reload} />
        </div>
      ) : (
        <SkeletonRows rows={3} />
      )}
      <div class="cf">
        <Icon name="clock" small />
        <span>A session ends after 30 days, or 7 days without a call.</span>
      </div>
    </section>
  )
}

type ListProps = {
  sessions: readonly WireListedSession[]
  parameters: { 'X-Team-Id'?: string }
}

function SessionList({ sessions, parameters }: ListProps) {
  const end = async ({ id, user_agent: agent }: WireListedSession) => {
    try {
      await callApi('deleteSession', { parameters: { id, ...parameters } })
      say(`${browserName(agent)} is signed out`)
    } catch (thrown) {
      sayRefused(thrown)
    }
    invalidate('listSessions')
  }
  if (sessions.length === 0) return <p class="empty slim quiet">Nobody is signed in.</p>
  return (
    <ul class="lines">
      {sessions.map((session) => (
        <li key={session.id}>
          <SessionWords session={session} />
          <button
            class="btn sm"
            type="button"
            aria-label={`Sign out ${browserName(session.user_agent)} from ${session.address}`}
            onClick={() => void (session.is_current ? leave() : end(session))}
          >
            Sign out
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The session of this very browser goes with its cookie. */
async function leave(): Promise<void> {
  await signOut().catch(sayRefused)
}

function SessionWords({ session }: { session: WireListedSession }) {
  const by = session.token ? `token ${session.token.name}` : 'link of local development'
  return (
    <span class="t">
      <span class="row">
        <span class="clip" title={session.user_agent}>
          {browserName(session.user_agent)}
        </span>
        {session.is_current && <Tag tone="ok">this one</Tag>}
      </span>
      <span class="faint tiny wraps">
        <span class="mono">{session.address}</span> · {by} · signed in{' '}
        <TimeAgo at={session.time_created} /> · last used <TimeAgo at={session.time_last_used} />
      </span>
    </span>
  )
}

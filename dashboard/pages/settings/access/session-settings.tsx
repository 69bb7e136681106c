import type { ListedSession } from '@headgate/client'
import { callApi } from '../../../api/call-api.ts'
import { signOut, useSession } from '../../../api/session.ts'
import { invalidate, useCall } from '../../../api/use-call.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/card.tsx'
import { Segmented } from '../../../parts/forms/segmented.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Tag } from '../../../parts/state.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { changeQuery, usePlace } from '../../../shell/routing/router.ts'
import { attempt, say } from '../../../shell/toasts.tsx'

type Whose = 'team' | 'operator'

const WHOSE: readonly { value: Whose; text: string }[] = [
  { value: 'team', text: 'This team’s' },
  { value: 'operator', text: 'Operator’s' },
]

export function SessionSettings() {
  const { query } = usePlace()
  const isOperator = useSession()?.kind === 'operator'
  const whose: Whose = isOperator && query.get('whose') !== 'team' ? 'operator' : 'team'
  const parameters = whose === 'operator' ? { 'X-Team-Id': '' } : {}
  const choice = isOperator && (
    <Segmented
      label="Whose sessions"
      value={whose}
      options={WHOSE}
      onChange={(value) => changeQuery({ whose: value === 'team' ? value : null })}
    />
  )
  return (
    <Card
      isLined
      title="Sessions"
      about="browsers that are signed in"
      acts={choice}
      foot="A session ends after 30 days, or 7 days without a call."
      footIcon="clock"
    >
      <Loaded call={useCall('listSessions', parameters)} rows={3} around="cb pad">
        {(sessions) => <SessionList sessions={sessions} parameters={parameters} />}
      </Loaded>
    </Card>
  )
}

type ListProps = {
  sessions: readonly ListedSession[]
  parameters: { 'X-Team-Id'?: string }
}

function SessionList({ sessions, parameters }: ListProps) {
  const end = async ({ id, user_agent: agent }: ListedSession) => {
    await attempt(async () => {
      await callApi('deleteSession', { parameters: { id, ...parameters } })
      say(`${browserName(agent)} is signed out`)
    })
    invalidate('listSessions')
  }
  if (sessions.length === 0) return <p class="empty slim quiet">Nobody is signed in.</p>
  return (
    <ul class="lines">
      {sessions.map((session) => (
        <li key={session.id}>
          <SessionWords session={session} />
          <Button
            class="sm"
            aria-label={`Sign out ${browserName(session.user_agent)} from ${session.address}`}
            // The session of this very browser goes with its cookie.
            onClick={() => void (session.is_current ? attempt(signOut) : end(session))}
          >
            Sign out
          </Button>
        </li>
      ))}
    </ul>
  )
}

function SessionWords({ session }: { session: ListedSession }) {
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

/** The first that fits wins: most browsers claim to be others too. */
const BROWSERS: readonly [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Headless)?Chrom(?:e|ium)\/(\d+)|\bCriOS\/(\d+)/],
  ['Safari', /\bVersion\/(\d+).*\bSafari\//],
]

const SYSTEMS: readonly [name: string, mark: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]

const LENGTH_MAX = 60

/** `Chrome 147 on Linux`; a program that is no browser goes by the name that it gave itself. */
export function browserName(userAgent: string): string {
  const system = SYSTEMS.find(([, mark]) => mark.test(userAgent))?.[0]
  for (const [name, mark] of BROWSERS) {
    const found = mark.exec(userAgent)
    if (!found) continue
    const version = found[1] ?? found[2] ?? ''
    return `${name} ${version}${system ? ` on ${system}` : ''}`
  }
  return userAgent.slice(0, LENGTH_MAX) || 'A program without a name'
}

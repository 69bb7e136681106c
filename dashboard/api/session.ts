import type { Session } from '@headgate/client'
import { ApiError, actForTeam, callApi, onSignedOut } from './call-api.ts'
import { closeLive, openLive } from './live.ts'
import { forgetAnswers } from './use-call.ts'
import { change, useWatched, watched } from './watched.ts'

export type Visitor =
  | { kind: 'unknown' }
  | { kind: 'nobody' }
  | { kind: 'unreachable' }
  | { kind: 'signed-in'; session: Session; team: { id: string; name: string } | null }

const TEAM_KEPT_AS = 'headgate-team'

/** Nobody is signed in, or this page is not one that may use the session. */
const REFUSED: readonly number[] = [401, 403]

const visitor = watched<Visitor>({ kind: 'unknown' })
let finding: Promise<void> | null = null

export function useVisitor(): Visitor {
  return useWatched(visitor)
}

export function useSession(): Session | null {
  const shown = useVisitor()
  return shown.kind === 'signed-in' ? shown.session : null
}

/** Asks who is signed in, at the start and after the service was away. */
export function findVisitor(): Promise<void> {
  finding = askForVisitor()
  return finding
}

async function askForVisitor(): Promise<void> {
  onSignedOut(() => become({ kind: 'nobody' }))
  try {
    const { data } = await callApi('getSession')
    await enter(data)
  } catch (thrown) {
    const isRefused = thrown instanceof ApiError && REFUSED.includes(thrown.status)
    become({ kind: isRefused ? 'nobody' : 'unreachable' })
  }
}

/** Signs in with a token, or with the link that local development prints. */
export async function signIn(proof: { token: string } | { link: string }): Promise<void> {
  // Else its answer, that nobody was signed in, may come after ours.
  await finding
  const { data } = await callApi('signIn', { body: proof })
  await enter(data)
}

export async function signOut(): Promise<void> {
  await callApi('signOut')
  become({ kind: 'nobody' })
}

export function lookAtTeam(team: { id: string; name: string }): void {
  if (visitor.value.kind !== 'signed-in') return
  sessionStorage.setItem(TEAM_KEPT_AS, JSON.stringify(team))
  actFor(team.id)
  become({ ...visitor.value, team })
}

async function enter(session: Session): Promise<void> {
  if (session.kind === 'team') {
    actFor(null)
    become({ kind: 'signed-in', session, team: session.team })
    return
  }
  const { data: teams } = await callApi('listTeams')
  const kept = JSON.parse(sessionStorage.getItem(TEAM_KEPT_AS) ?? 'null')
  const team = teams.find(({ id }) => id === kept?.id) ?? teams[0] ?? null
  if (team) actFor(team.id)
  become({ kind: 'signed-in', session, team })
}

function actFor(id: string | null): void {
  actForTeam(id)
  forgetAnswers('another team')
  openLive(id)
}

function become(next: Visitor): void {
  if (next.kind === 'nobody') {
    closeLive()
    forgetAnswers('nobody')
  }
  change(visitor, next)
}

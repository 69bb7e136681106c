import { useEffect, useState } from 'preact/hooks'
import { ApiError, messageOf } from '../../api/call-api.ts'
import { signIn, useVisitor } from '../../api/session.ts'
import { useNow } from '../../parts/text/time-ago.tsx'
import { navigate, usePlace } from '../../shell/routing/router.ts'

export type Refusal = { kind: 'wrong-token' | 'old-link' | 'slow' | 'other'; message: string }

type Proof = { token: string } | { link: string }

/** Signs in by a token, and at once by the link that the address may be. */
export function useSignIn() {
  const { query } = usePlace()
  const visitor = useVisitor()
  const [link] = useState(takeLink)
  const [isBusy, setBusy] = useState(link !== '')
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [mayTryAtMs, setMayTryAtMs] = useState(0)
  const nowMs = useNow()
  const enter = async (proof: Proof) => {
    setBusy(true)
    setRefusal(null)
    try {
      await signIn(proof)
    } catch (thrown) {
      const waitS = thrown instanceof ApiError ? thrown.retryAfterS : 0
      setMayTryAtMs(Date.now() + waitS * 1000)
      setRefusal(refusalOf(thrown, proof))
    }
    setBusy(false)
  }
  useEffect(() => {
    if (link) void enter({ link })
  }, [])
  const isIn = visitor.kind === 'signed-in' && !isBusy
  const target = targetOf(query.get('then'))
  useEffect(() => {
    if (isIn) navigate(target, { replace: true })
  }, [isIn, target])
  /** Seconds until the next attempt is heard. */
  const waitS = Math.max(0, Math.ceil((mayTryAtMs - nowMs) / 1000))
  return { refusal, isBusy, waitS, enter }
}

/** The secret of a link; it leaves the address before anything else happens. */
function takeLink(): string {
  const { pathname, search, hash } = location
  if (hash.length > 1) history.replaceState(null, '', `${pathname}${search}`)
  return hash.slice(1)
}

/** The place to go on to, one of our own: a link that somebody sends leads nowhere else. */
function targetOf(then: string | null): string {
  const url = URL.parse(then ?? '/', location.origin)
  if (url?.origin !== location.origin || url.pathname === '/sign-in') return '/'
  return `${url.pathname}${url.search}${url.hash}`
}

function refusalOf(thrown: unknown, proof: Proof): Refusal {
  const message = messageOf(thrown)
  const status = thrown instanceof ApiError ? thrown.status : 0
  if (status === 429) return { kind: 'slow', message }
  if (status !== 401) return { kind: 'other', message }
  return { kind: 'link' in proof ? 'old-link' : 'wrong-token', message }
}

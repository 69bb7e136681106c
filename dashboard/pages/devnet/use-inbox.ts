import type { Inbox } from '@headgate/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLiveState } from '../../api/live.ts'
import { invalidate, useCall } from '../../api/use-call.ts'
import { useLiveRefresh, useRefresh } from '../../api/use-refresh.ts'
import { usePlace } from '../../shell/routing/router.ts'

export type ShownInbox = ReturnType<typeof useInbox>

const USUAL_NAME = 'demo'
const NAME = /^[a-z0-9-]{1,64}$/

const PAGE_LENGTH = 20

/** The most that one question gets. */
const ARRIVALS_MAX = 100

/** Posts that Headgate does not make raise no event; the list of inboxes is short. */
const POLL_MS = { live: 4000, lost: 1500 }

export function isInboxName(text: string): boolean {
  return NAME.test(text)
}

/**
 * The inbox that the address names, else the one that was used last when the page was opened:
 * what arrives elsewhere since does not take the reader there. Null until that is known.
 */
export function useInboxName(inboxes: readonly Inbox[] | undefined): string | null {
  const { query } = usePlace()
  const usual = useRef<string | null>(null)
  if (usual.current === null && inboxes) usual.current = lastUsed(inboxes)
  const given = query.get('inbox') ?? ''
  return isInboxName(given) ? given : usual.current
}

function lastUsed(inboxes: readonly Inbox[]): string {
  const newest = inboxes.toSorted((a, b) => (b.time_last ?? 0) - (a.time_last ?? 0))[0]
  return newest?.name ?? USUAL_NAME
}

/** An inbox with its arrivals, read anew when the list of inboxes says that something changed. */
export function useInbox(name: string | null) {
  const [limit, setLimit] = useState(PAGE_LENGTH)
  const { query } = usePlace()
  const isLive = useLiveState() === 'live'
  useRefresh(isLive ? POLL_MS.live : POLL_MS.lost, 'listInboxes')
  useLiveRefresh(['delivery', 'gap'], 'listInboxes')
  const { data, error } = useCall('listInboxArrivals', name === null ? null : { name, limit })
  const listed = useCall('listInboxes').data?.data.find((inbox) => inbox.name === name)
  const state = JSON.stringify(listed)
  useEffect(() => {
    if (state !== undefined) invalidate('listInboxArrivals')
  }, [state])
  useEffect(() => setLimit(PAGE_LENGTH), [name])
  const wanted = query.get('arrival')
  const arrivals = data?.data
  const named = arrivals?.find(({ id }) => String(id) === wanted)
  return {
    inbox: data?.inbox,
    /** Newest first. */
    arrivals,
    error,
    /** The one that the address names, else the newest; null while there is none. */
    chosen: named ?? (wanted === null ? (arrivals?.[0] ?? null) : null),
    hasOlder: data?.pagination.cursors.before !== undefined && limit < ARRIVALS_MAX,
    showOlder: () => setLimit(Math.min(ARRIVALS_MAX, limit + PAGE_LENGTH)),
  }
}

import type { Events } from '@headgate/client'
import { useEffect, useRef } from 'preact/hooks'
import { change, useWatched, watched } from './watched.ts'

/** How the stream of events is: quiet while nobody looks at the page. */
export type LiveState = 'connecting' | 'live' | 'lost' | 'quiet'

/** The names of events; `gap` says that some were missed, so that pages read anew. */
export type LiveTopic = 'head' | 'delivery' | 'webhook' | 'replay' | 'usage' | 'gap'

type Heard = (event: unknown) => void

const STREAM = '/api/events'
const TOPICS: readonly LiveTopic[] = ['head', 'delivery', 'webhook', 'replay', 'usage', 'gap']

/** A page that was hidden for longer lets go of its connection, and catches up when it is back. */
const HIDDEN_MS_MAX = 30_000
const RETRY_MS = { first: 500, most: 15_000 }

const listeners = new Map<LiveTopic, Set<Heard>>(TOPICS.map((topic) => [topic, new Set()]))
const state = watched<LiveState>('connecting')

let source: EventSource | null = null
let lastId = ''
let teamId: string | null = null
let retryMs = RETRY_MS.first
let timer: ReturnType<typeof setTimeout> | undefined

/** Opens the stream of a team; null for the session's own. */
export function openLive(team: string | null): void {
  closeLive()
  teamId = team
  lastId = ''
  document.addEventListener('visibilitychange', onVisibility)
  connect()
}

export function closeLive(): void {
  document.removeEventListener('visibilitychange', onVisibility)
  clearTimeout(timer)
  source?.close()
  source = null
}

export function hearLive(topic: LiveTopic, heard: Heard): () => void {
  listeners.get(topic)?.add(heard)
  return () => {
    listeners.get(topic)?.delete(heard)
  }
}

export function useLive<Topic extends LiveTopic>(
  topic: Topic,
  heard: (event: Events[Topic]) => void,
): void {
  const last = useRef(heard)
  last.current = heard
  useEffect(() => hearLive(topic, (event) => last.current(event as Events[Topic])), [topic])
}

export function useLiveState(): LiveState {
  return useWatched(state)
}

function connect(): void {
  source?.close()
  clearTimeout(timer)
  const query = new URLSearchParams()
  if (teamId !== null) query.set('team_id', teamId)
  if (lastId) query.set('last_event_id', lastId)
  const opened = new EventSource(query.size > 0 ? `${STREAM}?${query}` : STREAM)
  source = opened
  opened.onopen = () => {
    retryMs = RETRY_MS.first
    change(state, 'live')
  }
  opened.onerror = () => {
    // Left to itself, a browser gives up after a refusal; so we connect anew, with what we have.
    opened.close()
    change(state, 'lost')
    timer = setTimeout(connect, retryMs)
    retryMs = Math.min(retryMs * 2, RETRY_MS.most)
  }
  for (const topic of TOPICS) opened.addEventListener(topic, (event) => hear(topic, event))
}

function hear(topic: LiveTopic, event: MessageEvent<string>): void {
  if (event.lastEventId) lastId = event.lastEventId
  const told: unknown = JSON.parse(event.data)
  for (const heard of listeners.get(topic) ?? []) heard(told)
}

function onVisibility(): void {
  clearTimeout(timer)
  if (document.hidden) timer = setTimeout(rest, HIDDEN_MS_MAX)
  else if (source === null || source.readyState === EventSource.CLOSED) connect()
}

function rest(): void {
  source?.close()
  source = null
  change(state, 'quiet')
}

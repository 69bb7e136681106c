import type { Events } from '@headgate/client'
import { hearLive } from './live.ts'
import { change, useWatched, watched } from './watched.ts'

export type Head = Events['head']

/** A strip is never wider than this many blocks. */
const HEADS_MAX = 64

const KEPT_AS = 'headgate-heads'

const heads = watched<ReadonlyMap<string, readonly Head[]>>(new Map(readKept()))
/** Networks whose newest head was seen before the page was loaded again. */
const resumed = new Set(heads.value.keys())

hearLive('head', (event) => note(event as Head))
addEventListener('pagehide', keep)

/** The newest blocks of a network that this tab has seen, oldest first. */
export function useRecentHeads(network: string): readonly Head[] {
  return useWatched(heads).get(network) ?? []
}

function note(head: Head): void {
  const known = seenBefore(head)
  // On connecting the present head is told again.
  if (known.at(-1)?.number === head.number && known.at(-1)?.hash === head.hash) return
  change(heads, new Map(heads.value).set(head.network, [...known, head].slice(-HEADS_MAX)))
}

/** The heads before one; those of an earlier page only if none is missing between. */
function seenBefore(head: Head): readonly Head[] {
  const known = heads.value.get(head.network) ?? []
  if (!resumed.delete(head.network)) return known
  const missing = head.number - (known.at(-1)?.number ?? 0) - 1
  return missing === 0 || missing === -1 ? known : []
}

function keep(): void {
  sessionStorage.setItem(KEPT_AS, JSON.stringify([...heads.value]))
}

function readKept(): [string, readonly Head[]][] {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT_AS) ?? '[]')
  } catch {
    return []
  }
}

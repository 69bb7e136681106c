import type { Header } from '../../core/chain/block.ts'
import { givesHeaders } from '../node/active-health.ts'
import type { NodeHead } from '../node/node-head.ts'
import { noteHead, type Upstream } from '../node/upstream.ts'
import { followedUpstreams, review, type Selection } from '../pool/selection.ts'

export type HeadNews = { upstream: Upstream; header: Header }

export type OpenHeadFeed = ReturnType<typeof openHeadFeed>

export type HeadFeed = Omit<OpenHeadFeed, 'note'>

/** Every head that an upstream of the right chain announces, by socket or asked by a poll. */
export function openHeadFeed(selection: Selection, noted: (upstream: Upstream) => void) {
  const listeners = new Set<(head: HeadNews) => void>()
  return {
    /** Repeats are passed on too. Returns how to unsubscribe. */
    subscribe(listener: (head: HeadNews) => void): () => void {
      // One function may subscribe twice, and each unsubscribing ends one of the two.
      const own = (head: HeadNews) => listener(head)
      listeners.add(own)
      return () => void listeners.delete(own)
    },

    /**
     * The heads of the upstreams whose own polls are good and whose chain is right, whatever
     * calls do there, for followers that begin late or look by themselves.
     */
    latest(): readonly HeadNews[] {
      const followed = followedUpstreams(selection)
      const nowMs = selection.clock.monotonicMs()
      const giving = followed.filter(({ activeHealth }) => givesHeaders(activeHealth, nowMs))
      // The head of an upstream that gives no headers may lead nowhere.
      return (giving.length > 0 ? giving : followed).flatMap((upstream) => {
        const header = headerOf(upstream.head)
        return header ? [{ upstream, header }] : []
      })
    },

    /** Every head comes in here: noted, judged, passed on. A wrong chain's do not count. */
    note(upstream: Upstream, head: NodeHead, nowMs: number): void {
      if (upstream.chain !== 'right') return
      noteHead(upstream, head, nowMs)
      review(selection)
      noted(upstream)
      const header = headerOf(head)
      if (!header) return
      for (const listener of [...listeners]) listener({ upstream, header })
    },
  }
}

function headerOf(head: NodeHead | null): Header | null {
  if (head === null || head.parentHash === null) return null
  return { number: head.number, hash: head.hash, parentHash: head.parentHash }
}

import type { Header } from '../../core/chain/block.ts'
import { givesHeaders } from '../node/active-health.ts'
import type { SeenHead } from '../node/seen-head.ts'
import { noteHead, type Upstream } from '../node/upstream.ts'
import { heardUpstreams, review, type Selection } from '../pool/selection.ts'

export type HeadNews = { upstream: Upstream; header: Header }

/** Every head that an upstream of the right chain announces, by socket or asked by a poll. */
export type HeadFeed = {
  /** Repeats are told too. Returns how to stop. */
  subscribe(hear: (news: HeadNews) => void): () => void
  /**
   * Where each upstream stands whose own polls are good and whose chain is right, whatever
   * calls do there, for whoever begins late or looks by himself.
   */
  latest(): readonly HeadNews[]
}

export type OpenHeadFeed = HeadFeed & {
  /** The one door by which heads come in: noted, judged, told. A wrong chain's do not count. */
  note(upstream: Upstream, head: SeenHead, nowMs: number): void
}

export function openHeadFeed(selection: Selection): OpenHeadFeed {
  const hearers = new Set<(news: HeadNews) => void>()
  return {
    subscribe(hear) {
      // One function may subscribe twice, and each stop ends one of the two.
      const own = (news: HeadNews) => hear(news)
      hearers.add(own)
      return () => void hearers.delete(own)
    },

    latest() {
      const heard = heardUpstreams(selection)
      const nowMs = selection.clock.monotonicMs()
      const giving = heard.filter(({ own }) => givesHeaders(own, nowMs))
      // The head of one that gives no headers may lead nowhere.
      return (giving.length > 0 ? giving : heard).flatMap((upstream) => {
        const header = headerOf(upstream.head)
        return header ? [{ upstream, header }] : []
      })
    },

    note(upstream, head, nowMs) {
      if (upstream.chain !== 'right') return
      noteHead(upstream, head, nowMs)
      review(selection)
      const header = headerOf(head)
      if (!header) return
      for (const hear of [...hearers]) hear({ upstream, header })
    },
  }
}

function headerOf(head: SeenHead | null): Header | null {
  if (head === null || head.parentHash === null) return null
  return { number: head.number, hash: head.hash, parentHash: head.parentHash }
}

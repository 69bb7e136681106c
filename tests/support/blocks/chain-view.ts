import type { NodeJson } from './node-json.ts'

/** The chain and its logs as a client puts them together from notifications. */
export type ChainView = {
  heads: NodeJson[]
  logs: Map<string, NodeJson>
  /** Everything that did not fit: a gap, a doubled log, a removal of something unknown. */
  faults: string[]
  takeHead(head: NodeJson): void
  takeLog(log: NodeJson): void
}

/** `before` are blocks from before it began, whose logs may be removed as well. */
export function openChainView(before: ReadonlySet<string> = new Set()): ChainView {
  const view: ChainView = {
    heads: [],
    logs: new Map(),
    faults: [],
    takeHead(head) {
      const at = view.heads.findIndex(({ hash }) => hash === head.parentHash)
      const isFirst = view.heads.length === 0
      // A reorganisation may go back to before the first block that was told.
      const isBelow = Number(head.number) <= Number(view.heads[0]?.number)
      if (at < 0 && !isFirst && !isBelow) view.faults.push(`a gap before ${head.number}`)
      view.heads.length = at + 1
      view.heads.push(head)
    },
    takeLog(log) {
      const key = `${log.blockHash} ${log.logIndex}`
      const { removed, ...rest } = log
      const isKnown = view.logs.has(key)
      const isRemoved = removed && (view.logs.delete(key) || before.has(log.blockHash))
      if (removed && !isRemoved) view.faults.push(`a removal of unknown ${key}`)
      if (!removed && isKnown) view.faults.push(`${key} twice`)
      if (!removed) view.logs.set(key, rest)
    },
  }
  return view
}

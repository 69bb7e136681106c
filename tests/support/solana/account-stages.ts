import { type AccountNode, fill, startAccountNode } from '../nodes/account-node.ts'
import { type AccountStage, openAccountStage } from './account-stage.ts'

type Options = Parameters<typeof openAccountStage>[1] & { nodes?: number; dataBytes?: number }

export type Staged = { node: AccountNode; other: AccountNode; stage: AccountStage }

/** Opens stages for the tests of one file; `closeAll` belongs into its `afterEach`. */
export function accountStages() {
  const stops: (() => void | Promise<void>)[] = []
  return {
    /** Nodes that all have the same accounts, the first being asked first. */
    async open(count: number, options: Options = {}): Promise<Staged> {
      const { nodes: nodeCount = 1, dataBytes = 100 } = options
      const nodes = Array.from({ length: nodeCount }, (_, at) => startAccountNode(`node-${at}`))
      for (const node of nodes) {
        stops.push(node.stop)
        fill(node, count, dataBytes)
      }
      const upstreams = nodes.map((_, at) => ({ priority: at, ...options.upstreams?.[at] }))
      const stage = await openAccountStage(nodes, { ...options, upstreams })
      stops.push(stage.stop)
      const [node, other = node] = nodes as [AccountNode, AccountNode?]
      return { node, other, stage }
    },
    async closeAll() {
      for (const stop of stops.splice(0).reverse()) await stop()
    },
  }
}

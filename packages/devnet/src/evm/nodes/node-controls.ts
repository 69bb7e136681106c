import type { DevnetNode } from '../../devnet-control.ts'
import type { ForkableChain } from '../fork/forkable-chain.ts'
import type { ChainNodes } from './chain-nodes.ts'

/** The chain with methods that break its nodes: each takes one object, checked before. */
export function withNodeControls(chain: ForkableChain, nodes: ChainNodes): ForkableChain {
  return {
    async ask(method, params) {
      const [wanted] = Array.isArray(params) ? params : []
      if (method === 'headgate_stall') nodes.stall((wanted as { ms: number }).ms)
      else if (method === 'headgate_setNode') {
        const { name, behaviour, blocks = 1 } = wanted as DevnetNode
        nodes.change(name, { behaviour, blocks: behaviour === 'lag' ? blocks : 0 })
      } else if (method !== 'headgate_nodes') return chain.ask(method, params)
      return JSON.stringify({ result: nodes.list() })
    },
  }
}

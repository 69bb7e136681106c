import { checkSchema } from '../../../../../src/core/schema/check-schema.ts'
import {
  choice,
  integer,
  object,
  type Schema,
  text,
} from '../../../../../src/core/schema/schema.ts'
import {
  DEVNET_NODE_BEHAVIOURS,
  DEVNET_NODE_LIMITS,
} from '../../../../../src/ports/devnet-control.ts'
import type { ForkableChain } from '../fork/forkable-chain.ts'
import type { ChainNodes } from './chain-nodes.ts'

const { lagMax, stallMsMax } = DEVNET_NODE_LIMITS

const SET_NODE = object(
  { name: text({ minLength: 1, maxLength: 64 }), behaviour: choice([...DEVNET_NODE_BEHAVIOURS]) },
  { blocks: integer({ minimum: 1, maximum: lagMax }) },
)

const STALL = object({ ms: integer({ minimum: 1, maximum: stallMsMax }) })

const INVALID_PARAMS = -32602

/** The chain with methods that break its nodes: each takes one object. */
export function withNodeControls(chain: ForkableChain, nodes: ChainNodes): ForkableChain {
  return {
    async ask(method, params) {
      const wanted = Array.isArray(params) ? (params[0] ?? {}) : {}
      if (method === 'headgate_nodes') return answer(nodes.list())
      if (method === 'headgate_stall') {
        return checked(STALL, wanted, ({ ms }) => nodes.stall(ms)) ?? answer(nodes.list())
      }
      if (method !== 'headgate_setNode') return chain.ask(method, params)
      const refusal = checked(SET_NODE, wanted, ({ name, behaviour, blocks = 1 }) => {
        nodes.change(name, { behaviour, blocks: behaviour === 'lag' ? blocks : 0 })
      })
      return refusal ?? answer(nodes.list())
    },
  }
}

/** Null when it is done, else the refusal. */
function checked<T>(schema: Schema<T>, wanted: unknown, run: (wanted: T) => void): string | null {
  const [fault] = checkSchema(schema, wanted)
  if (fault) return JSON.stringify({ error: { code: INVALID_PARAMS, message: fault.message } })
  run(wanted as T)
  return null
}

function answer(result: unknown): string {
  return JSON.stringify({ result })
}

import { checkSchema } from '../../../../../src/core/schema/check-schema.ts'
import {
  choice,
  flag,
  integer,
  object,
  preset,
  type Schema,
  text,
} from '../../../../../src/core/schema/schema.ts'
import { withDefaults } from '../../../../../src/core/schema/with-defaults.ts'
import {
  DEVNET_LIMITS,
  type DevnetChange,
  type DevnetReorganisation,
  type DevnetState,
} from '../../../../../src/ports/devnet-control.ts'
import { ChainRefusal } from './raw-chain.ts'
import { sampleTransaction } from './sample-token.ts'

/** The chain as controls see it. Each call is one step that nobody sees half done. */
export type Controlled = {
  state(): Promise<DevnetState>
  mine(blocks: number): Promise<DevnetState>
  reorganise(wanted: DevnetReorganisation): Promise<DevnetState>
  drop(height: number): Promise<DevnetState>
  change(wanted: DevnetChange): Promise<DevnetState>
  /** Sends from an account of the chain's own; the hash. */
  send(transaction: Readonly<Record<string, string>>): Promise<string>
}

type Control = (chain: Controlled, params: unknown) => Promise<unknown>

const { mineMax, depthMax, blocksMax, valueBitsMax, transactionsMax } = DEVNET_LIMITS
const { blockTimeMsMin, blockTimeMsMax } = DEVNET_LIMITS

const MINE = object({ blocks: integer({ minimum: 1, maximum: mineMax }) })

const REORGANISATION = object(
  { depth: integer({ minimum: 1, maximum: depthMax }) },
  {
    blocks: integer({ minimum: 2, maximum: blocksMax }),
    transactions: preset(choice(['keep', 'drop']), 'keep' as const),
  },
)

const DROP = object({ height: integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) })

const CHANGE = object(
  {},
  {
    isHeld: flag(),
    blockTimeMs: integer({ minimum: blockTimeMsMin, maximum: blockTimeMsMax }),
    transactionsPerBlock: integer({ minimum: 0, maximum: transactionsMax }),
  },
)

const SEND = object(
  {},
  {
    kind: preset(choice(['transfer', 'log']), 'transfer' as const),
    to: text({ pattern: '^0x[0-9a-fA-F]{40}$' }),
    value: text({ pattern: '^(0|[1-9][0-9]{0,77})$' }),
  },
)

/** Methods of ours, beside those of Hardhat. Each takes one object. */
const CONTROLS: ReadonlyMap<string, Control> = new Map([
  ['headgate_state', (chain) => chain.state()],
  ['headgate_mine', control(MINE, (chain, { blocks }) => chain.mine(blocks))],
  [
    'headgate_reorganise',
    control(REORGANISATION, (chain, { depth, blocks = depth + 1, transactions }) => {
      if (blocks <= depth) throw new ChainRefusal('blocks must be more than depth')
      return chain.reorganise({ depth, blocks, transactions })
    }),
  ],
  ['headgate_drop', control(DROP, (chain, { height }) => chain.drop(height))],
  ['headgate_change', control(CHANGE, (chain, wanted) => chain.change(wanted))],
  [
    'headgate_send',
    control(SEND, async (chain, wanted) => {
      if (BigInt(wanted.value ?? 0) >> valueBitsMax > 0n) {
        throw new ChainRefusal(`value is a number of ${valueBitsMax} bits at most`)
      }
      const { transaction, facts } = sampleTransaction(wanted)
      const transactionHash = await chain.send(transaction)
      return { transactionHash, ...facts, state: await chain.state() }
    }),
  ],
])

const INVALID_PARAMS = -32602

/** Undefined for a method that is no control. Answers as the chain does. */
export function chainControl(
  chain: Controlled,
  method: string,
  params: unknown,
): Promise<string> | undefined {
  const run = CONTROLS.get(method)
  return run && answered(run(chain, params))
}

async function answered(running: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify({ result: await running })
  } catch (thrown) {
    if (!(thrown instanceof ChainRefusal)) throw thrown
    return JSON.stringify({ error: { code: INVALID_PARAMS, message: thrown.message } })
  }
}

function control<T>(
  schema: Schema<T>,
  run: (chain: Controlled, wanted: T) => Promise<unknown>,
): Control {
  return async (chain, params) => {
    const wanted = Array.isArray(params) && params.length > 0 ? params[0] : {}
    const [fault] = checkSchema(schema, wanted)
    if (fault) throw new ChainRefusal(fault.message)
    return run(chain, withDefaults(schema, wanted))
  }
}

import type { DevnetChange, DevnetReorganisation, DevnetState } from '../../devnet-control.ts'
import { ChainRefusal } from './raw-chain.ts'
import { type SampleWanted, sampleTransaction } from './sample-token.ts'

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

type Control = (chain: Controlled, wanted: never) => Promise<unknown>

/** A value is one word of the machine. */
const VALUE_BITS_MAX = 256n

/**
 * Methods of ours, beside those of Hardhat, for the control of the chain alone: each takes one
 * object, which has been checked before.
 */
const CONTROLS: ReadonlyMap<string, Control> = new Map<string, Control>([
  ['headgate_state', (chain) => chain.state()],
  ['headgate_mine', (chain, { blocks }: { blocks: number }) => chain.mine(blocks)],
  ['headgate_reorganise', reorganise],
  ['headgate_drop', (chain, { height }: { height: number }) => chain.drop(height)],
  ['headgate_change', (chain, wanted: DevnetChange) => chain.change(wanted)],
  ['headgate_send', sendSample],
])

const INVALID_PARAMS = -32602

/** Undefined for a method that is no control. Answers as the chain does. */
export function chainControl(
  chain: Controlled,
  method: string,
  params: unknown,
): Promise<string> | undefined {
  const run = CONTROLS.get(method)
  const [wanted = {}] = Array.isArray(params) ? params : []
  return run && answered(run(chain, wanted as never))
}

async function answered(running: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify({ result: await running })
  } catch (thrown) {
    if (!(thrown instanceof ChainRefusal)) throw thrown
    return JSON.stringify({ error: { code: INVALID_PARAMS, message: thrown.message } })
  }
}

async function reorganise(
  chain: Controlled,
  {
    depth,
    blocks = depth + 1,
    transactions = 'keep',
  }: Partial<DevnetReorganisation> & { depth: number },
) {
  if (blocks <= depth) throw new ChainRefusal('blocks must be more than depth')
  return chain.reorganise({ depth, blocks, transactions })
}

async function sendSample(chain: Controlled, wanted: SampleWanted) {
  if (BigInt(wanted.value ?? 0) >> VALUE_BITS_MAX > 0n) {
    throw new ChainRefusal(`value is a number of ${VALUE_BITS_MAX} bits at most`)
  }
  const { transaction, facts } = sampleTransaction(wanted)
  const transactionHash = await chain.send(transaction)
  return { transactionHash, ...facts, state: await chain.state() }
}

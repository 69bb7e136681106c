import type { ForkParts } from './fork-parts.ts'
import type { MiningInterval } from './interval-mining.ts'
import { errorText, INVALID_PARAMS, quantity } from './raw-chain.ts'

type Method = (parts: ForkParts, params: readonly unknown[]) => Promise<string | null>

const UINT64_MAX = 2n ** 64n - 1n

/** Longer than anybody waits for a block, and within what timers take. */
const INTERVAL_MS_MAX = 2 ** 31 - 1

/** Methods that change the chain, done so that it can be forked later. Each runs alone. */
export const CHANGED_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['evm_mine', ({ miner }, params) => miner.answer(params)],
  ['hardhat_mine', mineApart],
  ['evm_snapshot', takeSnapshot],
  ['evm_revert', revert],
  ['evm_setIntervalMining', setMiningInterval],
  ['evm_setAutomine', setAutomine],
  ['eth_sendTransaction', (parts, params) => send(parts, 'eth_sendTransaction', params)],
  ['eth_sendRawTransaction', sendRaw],
])

async function mineApart(parts: ForkParts, params: readonly unknown[]): Promise<string | null> {
  const [count, intervalS] = [params[0] ?? 1, params[1] ?? 1].map(wholeNumber)
  if (params.length > 2 || count == null || intervalS == null) {
    return parts.chain.ask('hardhat_mine', params)
  }
  await parts.miner.mineApart(count, intervalS)
  return '{"result":true}'
}

async function takeSnapshot(parts: ForkParts, params: readonly unknown[]): Promise<string | null> {
  if (params.length > 0) return parts.chain.ask('evm_snapshot', params)
  return JSON.stringify({ result: quantity(await parts.checkpoints.snapshot()) })
}

async function revert(parts: ForkParts, params: readonly unknown[]): Promise<string | null> {
  const { checkpoints, history } = parts
  const id = wholeNumber(params[0])
  if (id === null || params.length !== 1) {
    return errorText(INVALID_PARAMS, 'evm_revert takes the id that evm_snapshot gave')
  }
  const height = checkpoints.heightOf(Number(id))
  if (height === null) return '{"result":false}'

  await history.whileGoingBack(height, () => checkpoints.revert(Number(id)))
  return '{"result":true}'
}

async function setMiningInterval(
  { interval }: ForkParts,
  params: readonly unknown[],
): Promise<string> {
  const wanted = intervalIn(params)
  if (wanted === null) {
    const message = 'evm_setIntervalMining takes milliseconds, or [min, max] with min above 0'
    return errorText(INVALID_PARAMS, message)
  }
  interval.set(wanted)
  return '{"result":true}'
}

async function setAutomine(parts: ForkParts, params: readonly unknown[]): Promise<string | null> {
  const answer = await parts.chain.ask('evm_setAutomine', params)
  if (answer === '{"result":true}') parts.automine.isOn = params[0] === true
  return answer
}

async function send(
  { chain, checkpoints, automine }: ForkParts,
  method: string,
  params: readonly unknown[],
): Promise<string | null> {
  if (automine.isOn) await checkpoints.take()
  return chain.ask(method, params)
}

async function sendRaw(parts: ForkParts, params: readonly unknown[]): Promise<string | null> {
  const answer = await send(parts, 'eth_sendRawTransaction', params)
  const hash = answer?.match(/^\{"result":"(0x[0-9a-f]{64})"\}$/)?.[1]
  const [signed] = params
  if (hash !== undefined && typeof signed === 'string') parts.sent.note(hash, signed)
  return answer
}

/** A number as the chain takes it: JSON's own, or hex in text. */
function wholeNumber(value: unknown): bigint | null {
  const isWritten = typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value)
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  if (!isWritten && !isNumber) return null
  const number = BigInt(value)
  return number <= UINT64_MAX ? number : null
}

function intervalIn(params: readonly unknown[]): MiningInterval | null {
  const [wanted] = params
  if (params.length !== 1) return null
  if (isIntervalMs(wanted)) return { minMs: wanted, maxMs: wanted }
  if (!Array.isArray(wanted) || wanted.length !== 2) return null
  const [minMs, maxMs] = wanted
  if (!isIntervalMs(minMs) || !isIntervalMs(maxMs)) return null
  return minMs > 0 && minMs <= maxMs ? { minMs, maxMs } : null
}

function isIntervalMs(value: unknown): value is number {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value)
  return isWhole && value >= 0 && value <= INTERVAL_MS_MAX
}

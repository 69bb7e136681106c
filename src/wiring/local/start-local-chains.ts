import { join } from 'node:path'
import type { ChainAccess } from '@headgate/devnet'
import type { Settings } from '../../config/config.ts'
import type { Header } from '../../core/chain/block.ts'
import { Failure, Rejection } from '../../core/errors.ts'
import type { OutboundAnswer } from '../../ports/outbound.ts'
import type { ProcessDrivers } from '../process-drivers.ts'
import { requireDevnet } from './require-devnet.ts'

type Wires = Pick<ProcessDrivers, 'clock' | 'outbound'>

/** The EVM chain is kept in here; the Solana ledger begins anew with each start. */
const FOLDER = join('devnet', 'eth')

const HEADERS = { 'content-type': 'application/json' }

const START_ANSWER_MS_MAX = 15_000

/** Starts the chains of local development; their code is loaded only here. */
export async function startLocalChains(
  { clock, outbound }: Wires,
  { data, devnet }: Pick<Settings, 'data' | 'devnet'>,
  opened: AsyncDisposableStack,
) {
  requireDevnet()
  const { startEvmChain, openEvmControl, startSolanaLedger, openSolanaControl } = await import(
    '@headgate/devnet'
  )
  const stopLater = <T extends { stop(): Promise<unknown> }>(chain: T) =>
    opened.adopt(chain, async (started) => void (await started.stop()))
  const starting = [
    startEvmChain({
      clock,
      blockTimeMs: devnet.blockTimeMs,
      transactionsPerBlock: devnet.transactionsPerBlock,
      folder: join(data, FOLDER),
    }).then(stopLater),
    startSolanaLedger({
      clock,
      slotTimeMs: devnet.slotTimeMs,
      tokenAccounts: devnet.tokenAccounts,
      changesPerSlot: devnet.changesPerSlot,
    }).then(stopLater),
  ] as const
  // Both are waited for: one that starts after the other failed is to be stopped as well.
  await Promise.allSettled(starting)
  const [evm, solana] = await Promise.all(starting).catch(notStarted)
  const access = accessTo({ clock, outbound })
  return {
    evm,
    solana,
    controlOf: (network: string, nodeNames: readonly string[]) =>
      openEvmControl(access, evm.url, network, nodeNames),
    ledgerControlOf: (network: string) => openSolanaControl(access, solana.url, network),
    evmHas: (header: Header) => evmChainHas({ clock, outbound }, evm.url, header),
  }
}

function notStarted(thrown: unknown): never {
  if (!(thrown instanceof Error && 'exitCode' in thrown)) throw thrown
  const facts = { part: 'development chain', exitCode: Number(thrown.exitCode) }
  throw new Failure('start_failed', facts, thrown)
}

function accessTo(wires: Wires): ChainAccess<Rejection> {
  return {
    post: (url, body, answerMsMax) =>
      posted(wires, url, body, answerMsMax).catch((thrown) => {
        if (thrown instanceof Failure) return null
        throw thrown
      }),
    refuse: (reason, message) =>
      new Rejection(reason === 'silent' ? 'upstream_failed' : 'validation', message),
  }
}

/** Whether a block is a part of the chain; false for one that was replaced, or of another chain. */
async function evmChainHas(wires: Wires, url: string, { number, hash }: Header): Promise<boolean> {
  const params = [`0x${number.toString(16)}`, false]
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params }
  const text = await posted(wires, url, JSON.stringify(call), START_ANSWER_MS_MAX)
  return JSON.parse(text).result?.hash === hash
}

/** The chain's answer as text; throws a Failure when it does not come. */
function posted(
  { clock, outbound }: Wires,
  url: string,
  body: string,
  answerMsMax: number,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const request = { url, body, headers: HEADERS, callHeaders: null, repeatable: false }
  const answered = (answer: OutboundAnswer) => void answer.text().then(resolve, reject)
  const giveUp = outbound.post(request, { answered, lost: reject }, null)
  const cancel = clock.after(answerMsMax, () => {
    reject(new Failure('upstream_timed_out', { part: 'development chain' }))
    giveUp()
  })
  return promise.finally(cancel)
}

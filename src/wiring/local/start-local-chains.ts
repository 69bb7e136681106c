import type { Settings } from '../../config/config.ts'
import * as errors from '../../core/errors.ts'
import type { ProcessDrivers } from '../process-drivers.ts'

/** Only the build of an executable for production has it. */
declare const HEADGATE_PRODUCTION: true | undefined

/** Starts the chains of local development; their code is loaded only here. */
export async function startLocalChains(
  { clock, outbound }: Pick<ProcessDrivers, 'clock' | 'outbound'>,
  devnet: Settings['devnet'],
  opened: AsyncDisposableStack,
) {
  requireDevnet()
  const { startEvmChain, openEvmControl, startSolanaLedger } = await import('@headgate/devnet')
  const stopLater = <T extends { stop(): Promise<unknown> }>(chain: T) =>
    opened.adopt(chain, async (started) => void (await started.stop()))
  const starting = [
    startEvmChain({ clock, blockTimeMs: devnet.blockTimeMs }).then(stopLater),
    startSolanaLedger({ clock, slotTimeMs: devnet.slotTimeMs }).then(stopLater),
  ] as const
  // Both are waited for: one that starts after the other failed is to be stopped as well.
  await Promise.allSettled(starting)
  const [evm, solana] = await Promise.all(starting)
  const controlOf = (network: string) => openEvmControl({ clock, outbound }, evm.url, network)
  return { evm, solana, controlOf }
}

/** A production installation goes without the development chains, and so does its executable. */
function requireDevnet(): void {
  // The installed package looks here, so that its errors are of the same classes as ours.
  Reflect.set(globalThis, Symbol.for('headgate.errors'), errors)
  if (typeof HEADGATE_PRODUCTION !== 'undefined') throw missing('executable')
  // The executable has them inside, where nothing can be resolved by name any more.
  if (Bun.isStandaloneExecutable) return
  try {
    Bun.resolveSync('@headgate/devnet', import.meta.dir)
  } catch {
    throw missing('@headgate/devnet')
  }
}

function missing(notInstalled: string): errors.Failure {
  return new errors.Failure('start_failed', { notInstalled })
}

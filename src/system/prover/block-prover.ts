import { isQuickProof } from '../../core/chain/proof/is-quick-proof.ts'
import { type Proof, proveBlock } from '../../core/chain/proof/prove-block.ts'
import type { BlockProver } from '../../ports/block-prover.ts'
import { openThreadCalls, type ThreadCalls } from '../../ports/driver-parts/thread-calls.ts'

/** Text goes over without being copied. */
export type ProverFunctions = { prove(text: string): Proof }

/**
 * Proves small blocks at once, and others in a thread, which is started for the first of them.
 * One thread is enough: a main-net block every twelve seconds takes it some milliseconds.
 */
export function openBlockProver(): BlockProver & { close(): void } {
  let thread: ThreadCalls<ProverFunctions> | null = null

  const start = () => {
    const worker = new Worker(new URL('./block-prover-worker.ts', import.meta.url).href)
    // A process has nothing left to do when this alone is left.
    worker.unref()
    return openThreadCalls<ProverFunctions>(worker, { grouped: false })
  }
  const close = () => {
    thread?.end()
    thread = null
  }

  return {
    async prove(parts) {
      if (isQuickProof(parts)) return proveBlock(parts)
      thread ??= start()
      const asked = thread
      return asked.call('prove', [JSON.stringify(parts)]).catch(() => {
        if (thread === asked) close()
        // A thread that ended says nothing about the block.
        return proveBlock(parts)
      })
    },
    close,
  }
}

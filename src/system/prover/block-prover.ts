import { isQuickProof } from '../../core/chain/proof/is-quick-proof.ts'
import type { Proof, ProofParts } from '../../core/chain/proof/prove-block.ts'
import { proveBlock } from '../../core/chain/proof/prove-block.ts'
import type { BlockProver } from '../../ports/block-prover.ts'

/** The messages to the thread and from it. Text goes over without being copied. */
export type ProofRequest = { id: number; text: string }
export type ProofReply = { id: number; proof: Proof }

type Thread = { worker: Worker; waiting: Map<number, PromiseWithResolvers<Proof>> }

/**
 * Proves small blocks at once, and others in a thread, which is started for the first of them.
 * One thread is enough: a main-net block every twelve seconds takes it some milliseconds.
 */
export function openBlockProver(): BlockProver & { close(): void } {
  let thread: Thread | null = null
  let lastId = 0

  const end = (ended: Thread) => {
    if (thread === ended) thread = null
    ended.worker.terminate()
    for (const one of ended.waiting.values()) one.reject(new Error('the thread has ended'))
    ended.waiting.clear()
  }
  const start = (): Thread => {
    const worker = new Worker(new URL('./block-prover-worker.ts', import.meta.url).href)
    const started: Thread = { worker, waiting: new Map() }
    worker.onmessage = ({ data: { id, proof } }: MessageEvent<ProofReply>) => {
      started.waiting.get(id)?.resolve(proof)
      started.waiting.delete(id)
    }
    worker.addEventListener('error', () => end(started))
    worker.addEventListener('close', () => end(started))
    // A process has nothing left to do when this alone is left.
    worker.unref()
    return started
  }
  const inThread = (parts: ProofParts): Promise<Proof> => {
    thread ??= start()
    const reply = Promise.withResolvers<Proof>()
    const request: ProofRequest = { id: ++lastId, text: JSON.stringify(parts) }
    thread.waiting.set(request.id, reply)
    thread.worker.postMessage(request)
    return reply.promise
  }

  return {
    async prove(parts) {
      if (isQuickProof(parts)) return proveBlock(parts)
      // A thread that ended is no word on the block.
      return inThread(parts).catch(() => proveBlock(parts))
    },
    close() {
      if (thread) end(thread)
    },
  }
}

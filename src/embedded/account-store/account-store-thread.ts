import { Failure } from '../../core/errors.ts'

export type EngineOrder = { id: number; name: string; args: readonly unknown[] }

export type EngineAnswer = {
  id: number
  value: unknown
  fault: { message: string; code: string } | null
}

type Waiting = { resolve(value: unknown): void; reject(error: Error): void }

/** What every engine can do, asked from another thread. */
type Works = { close(): void }

/** An engine elsewhere: its works by name, each with a promise. */
export type EngineThread<Engine extends Works> = {
  ask<Name extends keyof Engine & string>(
    name: Name,
    args: Engine[Name] extends (...args: infer Args) => unknown ? Args : never,
    handOver?: ArrayBuffer[],
  ): Promise<Engine[Name] extends (...args: never[]) => infer Value ? Value : never>
  /** Closes what it has open, and ends. */
  close(): Promise<void>
}

/** Starts a thread and has it open the file. Its faults come as Failures. */
export async function startEngineThread<Engine extends Works>(
  open: 'openWriter' | 'openReader',
  path: string,
): Promise<EngineThread<Engine>> {
  const worker = new Worker(new URL('./account-store-worker.ts', import.meta.url).href)
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let isOver = false

  worker.onmessage = ({ data }: MessageEvent<EngineAnswer>) => {
    const one = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.fault) one?.reject(unavailable(data.fault.code, data.fault.message))
    else one?.resolve(data.value)
  }
  worker.onerror = () => {
    isOver = true
    for (const one of waiting.values()) one.reject(unavailable('thread_ended', ''))
    waiting.clear()
  }

  const order = (name: string, args: readonly unknown[], handOver: ArrayBuffer[] = []) =>
    new Promise<unknown>((resolve, reject) => {
      if (isOver) return reject(unavailable('closed', ''))
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, name, args } satisfies EngineOrder, handOver)
    })

  try {
    await order(open, [path])
  } catch (thrown) {
    worker.terminate()
    throw thrown
  }
  return {
    ask: order as EngineThread<Engine>['ask'],
    async close() {
      try {
        await order('close', [])
      } finally {
        isOver = true
        worker.terminate()
      }
    },
  }
}

function unavailable(code: string, message: string): Failure {
  return new Failure('database_unavailable', { code, message })
}

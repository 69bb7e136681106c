import { type AccountReader, openAccountReader } from './account-store-reader.ts'
import { openAccountFile, openAccountTables } from './account-store-tables.ts'
import type { EngineAnswer, EngineOrder } from './account-store-thread.ts'
import { type AccountWriter, openAccountWriter } from './account-store-writer.ts'

declare const self: Worker

type Work = (...values: readonly unknown[]) => unknown

let engine: AccountWriter | AccountReader | null = null

/** Runs in a thread of its own: whoever reads or writes here holds up nobody elsewhere. */
self.onmessage = ({ data }: MessageEvent<EngineOrder>) => {
  const answer: EngineAnswer = { id: data.id, value: undefined, fault: null }
  try {
    answer.value = obey(data)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    answer.fault = { message: thrown instanceof Error ? thrown.message : '', code }
  }
  self.postMessage(answer, buffersOf(answer.value))
}

function obey({ name, args }: EngineOrder): unknown {
  if (name === 'openWriter') {
    engine = openAccountWriter(openAccountTables(args[0] as string))
    return undefined
  }
  if (name === 'openReader') {
    engine = openAccountReader(openAccountFile(args[0] as string))
    return undefined
  }
  const work = (engine as unknown as Record<string, Work> | null)?.[name]
  if (!work) throw new Error(`the store is not open for ${name}`)
  return work(...args)
}

/** The bytes of a page change hands instead of being copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const bytes = (value as { bytes?: unknown } | null | undefined)?.bytes
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}

import type { LentMemory } from '../../core/lent-memory.ts'
import { type AccountReader, openAccountReader } from './account-store-reader.ts'
import { openAccountFile, openAccountTables } from './account-store-tables.ts'
import type { EngineAnswer, EngineOrder } from './account-store-thread.ts'
import { type AccountWriter, openAccountWriter } from './account-store-writer.ts'

declare const self: Worker

type Work = (...values: readonly unknown[]) => unknown

let engine: AccountWriter | AccountReader | null = null
let memories: readonly LentMemory[] = []

/** Runs in a thread of its own: whoever reads or writes here holds up nobody elsewhere. */
self.onmessage = ({ data }: MessageEvent<EngineOrder>) => {
  const answer: EngineAnswer = { id: data.id, value: undefined, lent: null, fault: null }
  try {
    answer.value = obey(data)
    answer.lent = lentBy(answer.value)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    answer.fault = { message: thrown instanceof Error ? thrown.message : '', code }
  }
  self.postMessage(answer, answer.lent ? [] : buffersOf(answer.value))
}

function obey({ name, args }: EngineOrder): unknown {
  if (name === 'openWriter') {
    engine = openAccountWriter(openAccountTables(args[0] as string))
    return undefined
  }
  if (name === 'openReader') {
    memories = args[1] as readonly LentMemory[]
    engine = openAccountReader(openAccountFile(args[0] as string), {}, memories)
    return undefined
  }
  const work = (engine as unknown as Record<string, Work> | null)?.[name]
  if (!work) throw new Error(`the store is not open for ${name}`)
  return work(...args)
}

/** Bytes of lent memory stay where they are: to share it anew costs as much as making it anew. */
function lentBy(value: unknown): EngineAnswer['lent'] {
  const page = value as { bytes?: unknown } | null | undefined
  if (!(page?.bytes instanceof Uint8Array)) return null
  const { buffer, byteOffset: from, length } = page.bytes
  const memory = memories.indexOf(buffer as SharedArrayBuffer)
  if (memory < 0) return null
  page.bytes = new Uint8Array()
  return { memory, from, length }
}

/** The bytes of a page change hands instead of being copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const bytes = (value as { bytes?: unknown } | null | undefined)?.bytes
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}

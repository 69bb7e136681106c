import { openSqliteEngine, type SqliteEngine } from './sqlite-engine.ts'
import type { WorkerAnswer, WorkerOrder } from './sqlite-thread.ts'

declare const self: Worker

let engine: SqliteEngine | null = null

/** Runs in a thread of its own: a commit waits for the disk, and nobody else has to. */
self.onmessage = (event: MessageEvent<WorkerOrder[]>) => {
  self.postMessage(event.data.map(answerTo))
}

function answerTo(order: WorkerOrder): WorkerAnswer {
  const answer: WorkerAnswer = { id: order.id, rows: [], fault: null }
  try {
    answer.rows = obey(order)
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    answer.fault = { message: thrown instanceof Error ? thrown.message : '', code }
  }
  return answer
}

function obey(order: WorkerOrder): Record<string, unknown>[] {
  if (order.kind === 'open') engine = openSqliteEngine(order.path)
  if (order.kind === 'run') return engine?.run(order.text, order.values) ?? []
  if (order.kind === 'begin') engine?.begin()
  if (order.kind === 'commit') engine?.commit()
  if (order.kind === 'rollback') engine?.rollback()
  if (order.kind === 'close') engine?.close()
  return []
}

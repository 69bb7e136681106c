import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from '../../../api/api-error.ts'
import { callApi } from '../../../api/call-api.ts'
import type { AnswerOf } from '../../../api/wire.ts'

export type QueryEstimate = AnswerOf<'estimateQuery'>['data']

export type Estimating = {
  /** The last that worked, with the query that it is of. */
  estimate: (QueryEstimate & { query: string }) | null
  isRunning: boolean
  fault: string
  run(asked: { query: string; network: string }): Promise<void>
}

/** An estimate looks at so many of the newest blocks. */
const BLOCKS = 50

/** Estimates what queries cost, the newest question only. */
export function useEstimate(): Estimating {
  const [estimate, setEstimate] = useState<Estimating['estimate']>(null)
  const [isRunning, setRunning] = useState(false)
  const [fault, setFault] = useState('')
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const run: Estimating['run'] = async ({ query, network }) => {
    abort.current?.abort()
    const controller = new AbortController()
    abort.current = controller
    setRunning(true)
    setFault('')
    try {
      // The answer has both: what comes of it when empty blocks are skipped, and when not.
      const graphql_query = { query, skip_empty_messages: true }
      const body = { network, graphql_query, blocks: BLOCKS }
      const { data } = await callApi('estimateQuery', { body, signal: controller.signal })
      setEstimate({ ...data, query })
    } catch (thrown) {
      if (controller.signal.aborted) return
      setFault(messageOf(thrown))
    }
    setRunning(false)
  }
  return { estimate, isRunning, fault, run }
}

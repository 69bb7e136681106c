import { useEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from '../../../api/api-error.ts'
import { callForText } from '../../../api/call-api.ts'
import type { TestQueryResult } from '../../../api/wire.ts'
import { memberText } from './member-text.ts'

/** The result of a query on a block, with the query that it is of. */
export type DryRunResult = {
  query: string
  network: string
  atMs: number
  /** `event.data` of the delivery, digit by digit. */
  text: string
  figures: TestQueryResult
}

export type DryRun = {
  /** The last that worked; it stays while a newer one is under way or failed. */
  result: DryRunResult | null
  isRunning: boolean
  fault: string
  run(asked: { query: string; network: string; block: string }): Promise<void>
}

/** Runs queries on blocks, the newest question only. */
export function useDryRun(): DryRun {
  const [result, setResult] = useState<DryRunResult | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [fault, setFault] = useState('')
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const run: DryRun['run'] = async ({ query, network, block }) => {
    abort.current?.abort()
    const controller = new AbortController()
    abort.current = controller
    setRunning(true)
    setFault('')
    try {
      const body = { network, graphql_query: query, ...(block && { block }) }
      const told = await callForText('testQuery', { body, signal: controller.signal })
      const figures: TestQueryResult = JSON.parse(told)
      const text = memberText(told, 'data')
      setResult({ query, network, atMs: Date.now(), text, figures })
    } catch (thrown) {
      if (controller.signal.aborted) return
      setFault(messageOf(thrown))
    }
    setRunning(false)
  }
  return { result, isRunning, fault, run }
}

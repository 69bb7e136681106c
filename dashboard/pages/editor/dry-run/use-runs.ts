import type { AnswerOf, TestQueryResult } from '@headgate/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { callApi, callForText, messageOf } from '../../../api/call-api.ts'
import { invalidate } from '../../../api/use-call.ts'
import type { EditorModel } from '../use-editor.ts'

type Query = { query: string; network: string }

export type DryRunResult = Query & {
  atMs: number
  /** `event.data` of the delivery, digit by digit. */
  text: string
  figures: TestQueryResult
}

export type QueryEstimate = AnswerOf<'estimateQuery'>['data'] & { query: string }

export type DryRun = ReturnType<typeof useRuns>['dryRun']
export type Estimating = ReturnType<typeof useRuns>['estimating']

/** An estimate looks at so many of the newest blocks. */
const BLOCKS = 50

/**
 * Dry runs of the query as it is, each with an estimate unless that is there already. The query of
 * a webhook that is changed is run once by itself, so that there is a result to compare with.
 */
export function useRuns(model: EditorModel, block: string) {
  const dryRun = useNewestRun(runOnBlock)
  const estimating = useNewestRun(estimate)
  const { query, network } = model.draft
  const run = (wanted = block) => {
    if (model.problems.length > 0) return
    void dryRun.run({ query, network, block: wanted })
    if (wanted === '') invalidate('listNetworks')
    const { result } = estimating
    const isKnown = result?.query === query && result.network === network
    if (!isKnown || wanted === '') void estimating.run({ query, network })
  }
  const isFirst = useRef(model.webhook !== null)
  const isGood = model.checked.check?.ok === true
  useEffect(() => {
    if (!isGood || !isFirst.current) return
    isFirst.current = false
    run()
  }, [isGood])
  return { dryRun, estimating, run }
}

async function runOnBlock(
  { query, network, block }: Query & { block: string },
  signal: AbortSignal,
): Promise<DryRunResult> {
  const body = { network, graphql_query: query, ...(block && { block }) }
  const told = await callForText('testQuery', { body, signal })
  const text = memberText(told, 'data')
  return { query, network, atMs: Date.now(), text, figures: JSON.parse(told) }
}

async function estimate({ query, network }: Query, signal: AbortSignal): Promise<QueryEstimate> {
  // The answer has both: what comes of it when empty blocks are skipped, and when not.
  const graphql_query = { query, skip_empty_messages: true }
  const body = { network, graphql_query, blocks: BLOCKS }
  const { data } = await callApi('estimateQuery', { body, signal })
  return { ...data, query }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/**
 * The text of one member of an object that is the whole of a JSON text, as it stands there: its
 * numbers may have more digits than a script can hold.
 */
export function memberText(text: string, name: string): string {
  let depth = 0
  let start = -1
  let key = ''
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (start === -1 && depth === 1 && token === ':' && key === `"${name}"`) start = index + 1
    if (depth === 1 && (token === ',' || token === '}') && start !== -1) {
      return text.slice(start, index).trim()
    }
    if (depth === 1 && token.startsWith('"')) key = token
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
  }
  return ''
}

/** `result` is the last that worked; it stays while a newer one is under way or failed. */
function useNewestRun<Asked, Result>(ask: (asked: Asked, signal: AbortSignal) => Promise<Result>) {
  const [result, setResult] = useState<Result | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [fault, setFault] = useState('')
  const abort = useRef<AbortController | null>(null)
  useEffect(() => () => abort.current?.abort(), [])
  const run = async (asked: Asked) => {
    abort.current?.abort()
    const controller = new AbortController()
    abort.current = controller
    setRunning(true)
    setFault('')
    try {
      setResult(await ask(asked, controller.signal))
    } catch (thrown) {
      if (controller.signal.aborted) return
      setFault(messageOf(thrown))
    }
    setRunning(false)
  }
  return { result, isRunning, fault, run }
}

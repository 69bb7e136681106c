import { useEffect, useRef } from 'preact/hooks'
import { invalidate } from '../../../api/use-call.ts'
import type { EditorModel } from '../use-editor.ts'
import { type DryRun, useDryRun } from './use-dry-run.ts'
import { type Estimating, useEstimate } from './use-estimate.ts'

export type Runs = { dryRun: DryRun; estimating: Estimating; run(block?: string): void }

/**
 * Dry runs of the query as it is, each with an estimate unless that is there already. The query of
 * a webhook that is changed is run once by itself, so that there is a result to compare with.
 */
export function useRuns(model: EditorModel, block: string): Runs {
  const dryRun = useDryRun()
  const estimating = useEstimate()
  const { query, network } = model.draft
  const run = (wanted = block) => {
    if (model.problems.length > 0) return
    void dryRun.run({ query, network, block: wanted })
    if (wanted === '') invalidate('listNetworks')
    const { estimate } = estimating
    const isKnown = estimate?.query === query && estimate.network === network
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

import type { Webhook } from '@headgate/client'
import { Button } from '../../../parts/button.tsx'
import { Empty, LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { webhookState } from '../../../parts/webhooks/webhook-state.ts'
import { changeQuery } from '../../../shell/routing/router.ts'
import type { DeliveryLog } from './delivery-log.ts'
import { DeliveryTable } from './delivery-table.tsx'
import { FollowMark, NewerButton, useFollowing } from './follow-mark.tsx'
import { LogFilterBar } from './log-filter-bar.tsx'
import { filterWords, isFiltered, type LogFilters } from './log-question.ts'

type ListProps = {
  webhook: Webhook
  log: DeliveryLog
  filters: LogFilters
  openId: string | null
  onOpen(id: string, how?: { isStep: boolean }): void
}

export function LogList(props: ListProps) {
  const { log } = props
  const following = useFollowing(log)
  return (
    <section class="card" aria-label="Deliveries">
      <div class="ch line">
        <LogFilterBar filters={props.filters} />
        <span class="acts">
          <FollowMark {...following} />
        </span>
      </div>
      <NewerButton log={log} onShow={following.showNewest} />
      <LogRows {...props} onScrolled={following.onScrolled} />
      <div class="cf">
        <span>
          Kept for 7 days or 10 GiB, unless configured otherwise. What isn’t delivered yet is never
          removed.
        </span>
      </div>
    </section>
  )
}

type RowsProps = ListProps & { onScrolled(isScrolled: boolean): void }

function LogRows({ webhook, log, filters, openId, onOpen, onScrolled }: RowsProps) {
  const { isLoading, count, error, isWhole, isPausing } = log.state()
  if (isLoading) return <SkeletonRows rows={12} />
  if (count === 0 && error !== undefined) return <LoadFault error={error} retry={log.goOn} />
  if (count === 0 && isWhole) return <NoRows webhook={webhook} filters={filters} />
  return (
    <>
      <DeliveryTable log={log} openId={openId} onOpen={onOpen} onScrolled={onScrolled} />
      {error !== undefined && <LoadFault error={error} retry={log.goOn} />}
      {isPausing && (
        <div class="empty slim">
          <p>Nothing matches further down, as far as was looked.</p>
          <Button onClick={log.goOn}>Look further back</Button>
        </div>
      )}
    </>
  )
}

function NoRows({ webhook, filters }: { webhook: Webhook; filters: LogFilters }) {
  if (isFiltered(filters)) {
    const clear = { status: null, block: null, retried: null, rerun: null }
    const act = <Button onClick={() => changeQuery(clear)}>Clear filters</Button>
    return (
      <Empty isTop title="Nothing matches these filters" acts={act}>
        No delivery {filterWords(filters)}.
      </Empty>
    )
  }
  if (!webhook.is_active) {
    return (
      <Empty isTop icon="pause" title="Nothing was delivered yet">
        Paused: {webhookState(webhook).reason.toLowerCase()}. Once it is unpaused, the query runs
        from the next block on.
      </Empty>
    )
  }
  return (
    <Empty isTop icon="clock" title="Waiting for the first block">
      The query runs on the next block of {webhook.network}
      {webhook.graphql_query.skip_empty_messages
        ? ', and is delivered once it finds something.'
        : '.'}
    </Empty>
  )
}

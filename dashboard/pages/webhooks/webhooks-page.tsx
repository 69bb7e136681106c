import { useEffect } from 'preact/hooks'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, NoWebhooks, SkeletonRows } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useWebhookNews } from '../../parts/webhooks/use-webhook-news.ts'
import { PageFrame } from '../../shell/page-frame.tsx'
import { navigate, usePlace } from '../../shell/routing/router.ts'
import { openVariables, VariablesFromAddress } from '../variables/variables-from-address.tsx'
import { BlockDeliveries } from './block-deliveries.tsx'
import { filtersIn, isListed, ListFilterBar } from './list-filters.tsx'
import { WebhookList } from './webhook-list.tsx'

const BLOCK = /^[0-9]{1,15}$/

export default function WebhooksPage() {
  const { data } = useCall('listWebhooks')
  const most = useCall('getTeam').data?.data.limits?.webhooks
  useWebhookNews()
  return (
    <PageFrame title="Webhooks">
      <div class="head">
        <h1>Webhooks</h1>
        <span class="quiet small">
          {data && (most === undefined ? data.data.length : `${data.data.length} of ${most}`)}
        </span>
        <div class="acts">
          <Button onClick={() => openVariables(null)}>Variables</Button>
          <Button class="primary" icon="plus" href="/webhooks/new">
            New webhook <kbd>C</kbd>
          </Button>
        </div>
        <p class="sub">
          A query that runs on every new block and is delivered, signed, to your URL.
        </p>
      </div>
      <Content />
      <VariablesFromAddress />
    </PageFrame>
  )
}

function Content() {
  const { query } = usePlace()
  const call = useCall('listWebhooks')
  const stats = useCall('getWebhookStats').data?.data
  const delivery = query.get('delivery')
  const block = query.get('block') ?? ''
  if (delivery) return <FindDelivery id={delivery} />
  return (
    <Loaded call={call} rows={7} isAlone>
      {(webhooks) => {
        if (BLOCK.test(block)) return <BlockDeliveries block={Number(block)} webhooks={webhooks} />
        if (webhooks.length === 0) return <NoWebhooks isCard isTop acts={WAYS_TO_START} />
        const filters = filtersIn(query)
        return (
          <>
            <ListFilterBar filters={filters} webhooks={webhooks} />
            <WebhookList
              webhooks={webhooks.filter((one) => isListed(filters, one))}
              stats={stats}
            />
          </>
        )
      }}
    </Loaded>
  )
}

/** Finds the webhook of a delivery that was pasted, and opens it there. */
function FindDelivery({ id }: { id: string }) {
  const { data, error } = useCall('getDelivery', { id })
  const found = data?.data
  useEffect(() => {
    if (found) navigate(`/webhooks/${found.webhook_id}?delivery=${found.id}`, { replace: true })
  }, [found])
  const act = <Button href="/webhooks">All webhooks</Button>
  return (
    <section class="card">
      {error ? (
        <Empty isTop icon="inbox" title="There is no such delivery" acts={act}>
          {id} is older than the log, or belongs to another team.
        </Empty>
      ) : (
        <SkeletonRows rows={4} />
      )}
    </section>
  )
}

const WAYS_TO_START = (
  <>
    <Button class="primary" href="/webhooks/new?templates=1">
      Start from a template
    </Button>
    <Button class="ghost" href="/webhooks/new">
      Write a query
    </Button>
  </>
)

import { useCall } from '../../api/use-call.ts'
import { LoadFault, SkeletonRows } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useWebhookNews } from '../../parts/webhooks/use-webhook-news.ts'
import { PageFrame } from '../../shell/page-frame.tsx'
import { usePlace } from '../../shell/routing/router.ts'
import { openVariables, VariablesFromAddress } from '../variables/variables-from-address.tsx'
import { BlockDeliveries } from './block-deliveries.tsx'
import { FindDelivery } from './find-delivery.tsx'
import { filtersIn, isListed, ListFilterBar } from './list-filters.tsx'
import { NoWebhooks } from './no-webhooks.tsx'
import { WebhookList } from './webhook-list.tsx'

/** A height has at most so many digits. */
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
          <button class="btn" type="button" onClick={() => openVariables(null)}>
            Variables
          </button>
          <a class="btn primary" href="/webhooks/new">
            <Icon name="plus" />
            New webhook <kbd>C</kbd>
          </a>
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
  const { data, error, reload } = useCall('listWebhooks')
  const stats = useCall('getWebhookStats').data?.data
  const delivery = query.get('delivery')
  const block = query.get('block') ?? ''
  if (delivery) return <FindDelivery id={delivery} />
  if (!data && error !== undefined) return <LoadFault error={error} retry={reload} />
  if (!data) return <Outline />
  if (BLOCK.test(block)) return <BlockDeliveries block={Number(block)} webhooks={data.data} />
  if (data.data.length === 0) return <NoWebhooks />
  const filters = filtersIn(query)
  return (
    <>
      <ListFilterBar filters={filters} webhooks={data.data} />
      <WebhookList webhooks={data.data.filter((one) => isListed(filters, one))} stats={stats} />
    </>
  )
}

function Outline() {
  return (
    <section class="card">
      <SkeletonRows rows={7} />
    </section>
  )
}

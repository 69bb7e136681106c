import { useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { LoadFault, SkeletonRows, Empty } from '../../parts/empty.tsx'
import { useWebhookNews } from '../../parts/webhooks/use-webhook-news.ts'
import { PageFrame } from '../../shell/page-frame.tsx'
import { usePlace, navigate } from '../../shell/routing/router.ts'
import { openVariables, VariablesFromAddress } from '../variables/variables-from-address.tsx'
import { BlockDeliveries } from './block-deliveries.tsx'
import { filtersIn, isListed, ListFilterBar } from './list-filters.tsx'
import { WebhookList } from './webhook-list.tsx'
import { useEffect, useState } from 'preact/hooks'
import { callApi } from '../../api/call-api.ts'
import { BlocksArt } from '../../parts/art.tsx'

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

/** Finds the webhook of a delivery that was pasted, and opens it there. */
function FindDelivery({ id }: { id: string }) {
  const [isUnknown, setUnknown] = useState(false)
  useEffect(() => {
    let isWanted = true
    setUnknown(false)
    callApi('getDelivery', { parameters: { id } })
      .then(({ data }) => {
        const to = `/webhooks/${data.webhook_id}?delivery=${data.id}`
        if (isWanted) navigate(to, { replace: true })
      })
      .catch(() => isWanted && setUnknown(true))
    return () => {
      isWanted = false
    }
  }, [id])
  const act = <Button href="/webhooks">All webhooks</Button>
  return (
    <section class="card">
      {isUnknown ? (
        <Empty isTop icon="inbox" title="There is no such delivery" acts={act}>
          {id} is older than the log, or belongs to another team.
        </Empty>
      ) : (
        <SkeletonRows rows={4} />
      )}
    </section>
  )
}

/** How the first webhook comes. */
function NoWebhooks() {
  const acts = (
    <>
      <Button class="primary" href="/webhooks/new?templates=1">
        Start from a template
      </Button>
      <Button class="ghost" href="/webhooks/new">
        Write a query
      </Button>
    </>
  )
  return (
    <Empty isCard isTop art={<BlocksArt />} title="No webhooks yet" acts={acts}>
      Write a query once. Headgate runs it on every new block and posts what it finds to you,
      signed.
    </Empty>
  )
}

import { useCall } from '../../api/use-call.ts'
import { Empty, LoadFault, SkeletonRows } from '../../parts/empty.tsx'
import { useWebhookNews } from '../../parts/webhooks/use-webhook-news.ts'
import { nameOf } from '../../parts/webhooks/webhook-state.ts'
import { PageFrame } from '../../shell/page-frame.tsx'
import { WebhookHead } from './webhook-head.tsx'
import { WebhookTabs } from './webhook-tabs.tsx'

export default function WebhookPage({ params }: { params: Readonly<Record<string, string>> }) {
  const { data, error, reload } = useCall('listWebhooks')
  const stats = useCall('getWebhookStats').data?.data
  useWebhookNews()
  const webhook = data?.data.find(({ id }) => id === params.id)
  const title = webhook ? nameOf(webhook) : 'Webhook'
  const crumbs = [{ text: 'Webhooks', href: '/webhooks' }, { text: title }]
  return (
    <PageFrame title={title} crumbs={crumbs}>
      {webhook && (
        <>
          <WebhookHead
            webhook={webhook}
            stats={stats?.find(({ webhook_id }) => webhook_id === webhook.id)}
          />
          <WebhookTabs webhook={webhook} />
        </>
      )}
      {data && !webhook && <Gone id={params.id ?? ''} />}
      {!data && error !== undefined && <LoadFault error={error} retry={reload} />}
      {!data && error === undefined && <Outline />}
    </PageFrame>
  )
}

function Gone({ id }: { id: string }) {
  const act = (
    <a class="btn" href="/webhooks">
      All webhooks
    </a>
  )
  return (
    <section class="card">
      <Empty isPage icon="hook" title="There is no such webhook" acts={act}>
        {id} was deleted, or belongs to another team.
      </Empty>
    </section>
  )
}

function Outline() {
  return (
    <>
      <div class="head" aria-hidden="true">
        <span class="sk d" />
      </div>
      <section class="card">
        <SkeletonRows rows={12} />
      </section>
    </>
  )
}

import type { Webhook } from '@headgate/client'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, SkeletonRows } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useWebhookNews } from '../../parts/webhooks/use-webhook-news.ts'
import { nameOf } from '../../parts/webhooks/webhook-state.ts'
import { PageFrame } from '../../shell/page-frame.tsx'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import { KeyTab } from './keys/key-tab.tsx'
import { DeliveriesTab } from './log/deliveries-tab.tsx'
import { QueryTab } from './query-tab.tsx'
import { ReplayTab } from './replay/replay-tab.tsx'
import { useReplays } from './replay/use-replays.ts'
import { WebhookHead } from './webhook-head.tsx'

export default function WebhookPage({ params }: { params: Readonly<Record<string, string>> }) {
  const call = useCall('listWebhooks')
  const stats = useCall('getWebhookStats').data?.data
  useWebhookNews()
  const webhook = call.data?.data.find(({ id }) => id === params.id)
  const title = webhook ? nameOf(webhook) : 'Webhook'
  const crumbs = [{ text: 'Webhooks', href: '/webhooks' }, { text: title }]
  return (
    <PageFrame title={title} crumbs={crumbs}>
      <Loaded call={call} wait={OUTLINE}>
        {() => {
          if (!webhook) return <Gone id={params.id ?? ''} />
          const own = stats?.find(({ webhook_id }) => webhook_id === webhook.id)
          return (
            <>
              <WebhookHead webhook={webhook} stats={own} />
              <WebhookTabs webhook={webhook} />
            </>
          )
        }}
      </Loaded>
    </PageFrame>
  )
}

function Gone({ id }: { id: string }) {
  const act = <Button href="/webhooks">All webhooks</Button>
  return (
    <Empty isCard isPage icon="hook" title="There is no such webhook" acts={act}>
      {id} was deleted, or belongs to another team.
    </Empty>
  )
}

const OUTLINE = (
  <>
    <div class="head" aria-hidden="true">
      <span class="sk d" />
    </div>
    <section class="card">
      <SkeletonRows rows={12} />
    </section>
  </>
)

const TABS = ['deliveries', 'replay', 'key', 'query'] as const

function WebhookTabs({ webhook }: { webhook: Webhook }) {
  const { query } = usePlace()
  const tab = TABS.find((one) => one === query.get('tab')) ?? 'deliveries'
  const running = useReplays(webhook.id)?.filter(({ state }) => state === 'running').length ?? 0
  const tabs = [
    { value: 'deliveries', text: 'Deliveries' },
    { value: 'replay', text: 'Replay', ...(running > 0 && { count: `${running} running` }) },
    { value: 'key', text: 'Signing key' },
    { value: 'query', text: 'Query' },
  ] as const
  const choose = (next: (typeof TABS)[number]) => {
    // Filters and an open delivery belong to the log.
    const gone = { delivery: null, status: null, block: null, retried: null, rerun: null }
    const isFirst = next === 'deliveries'
    changeQuery({ ...gone, tab: isFirst ? null : next }, { replace: false })
  }
  return (
    <Tabs label="Webhook" value={tab} tabs={tabs} onChange={choose}>
      {tab === 'deliveries' && <DeliveriesTab key={webhook.id} webhook={webhook} />}
      {tab === 'replay' && <ReplayTab webhook={webhook} />}
      {tab === 'key' && <KeyTab webhook={webhook} />}
      {tab === 'query' && <QueryTab webhook={webhook} />}
    </Tabs>
  )
}

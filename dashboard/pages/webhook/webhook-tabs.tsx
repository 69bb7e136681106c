import type { WireWebhook } from '../../api/wire.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import { KeyTab } from './keys/key-tab.tsx'
import { DeliveriesTab } from './log/deliveries-tab.tsx'
import { QueryTab } from './query-tab.tsx'
import { ReplayTab } from './replay/replay-tab.tsx'
import { useReplays } from './replay/use-replays.ts'

const TABS = ['deliveries', 'replay', 'key', 'query'] as const

/** The parts of a webhook's page; the one in view is in the address. */
export function WebhookTabs({ webhook }: { webhook: WireWebhook }) {
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

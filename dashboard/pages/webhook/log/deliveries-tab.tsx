import type { Webhook } from '@headgate/client'
import { useCall } from '../../../api/use-call.ts'
import { useShortcuts } from '../../../shell/keys/shortcuts.ts'
import { changeQuery, usePlace } from '../../../shell/routing/router.ts'
import { DeliveryDrawer } from '../drawer/delivery-drawer.tsx'
import { RunningReplay } from '../replay/running-replay.tsx'
import { LogFigures } from './log-figures.tsx'
import { LogList } from './log-list.tsx'
import { filtersIn, isFiltered } from './log-question.ts'
import { useDeliveryLog } from './use-delivery-log.ts'

export function DeliveriesTab({ webhook }: { webhook: Webhook }) {
  const { query } = usePlace()
  const filters = filtersIn(query)
  const openId = query.get('delivery')
  const log = useDeliveryLog(webhook, filters)
  const stats = useCall('getWebhookStats').data?.data
  const open = (id: string, how?: { isStep: boolean }) => {
    // Going from one to the next is no place to come back to, opening the first one is.
    changeQuery({ delivery: id }, { replace: how?.isStep ?? false })
  }
  const close = () => changeQuery({ delivery: null })
  const leaving = { keys: 'Escape', does: 'Close the delivery', run: close }
  useShortcuts(openId === null ? [] : [leaving])
  const step = (by: number) => {
    const next = log.rowAt(Math.max(0, log.placeOf(openId ?? '') + by))
    if (next) open(next.id, { isStep: true })
  }
  return (
    <div class={openId === null ? 'split' : 'split open'}>
      <div class="col g16">
        <section class="card" aria-label="How it does">
          <LogFigures
            stats={stats?.find(({ webhook_id }) => webhook_id === webhook.id)}
            log={log}
            isFiltered={isFiltered(filters)}
          />
          <RunningReplay webhookId={webhook.id} />
        </section>
        <LogList webhook={webhook} log={log} filters={filters} openId={openId} onOpen={open} />
      </div>
      {openId !== null && <DeliveryDrawer id={openId} onClose={close} onStep={step} />}
    </div>
  )
}

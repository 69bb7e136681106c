import type { Delivery, Webhook } from '@headgate/client'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { NetworkName, State } from '../../parts/state.tsx'
import { whole } from '../../parts/text/format.ts'
import { Hash } from '../../parts/text/hash.tsx'
import { Age } from '../../parts/text/time-ago.tsx'
import { nameOf } from '../../parts/webhooks/webhook-state.ts'
import { navigate } from '../../shell/routing/router.ts'
import { statusOf } from '../webhook/log/delivery-words.ts'

/** All that are shown; a block of a team has about one a webhook and version. */
const SHOWN_MAX = 1000

export function BlockDeliveries(props: { block: number; webhooks: readonly Webhook[] }) {
  const title = `Deliveries of block ${whole(props.block)}`
  const back = (
    <Button class="sm" icon="x" href="/webhooks">
      All webhooks
    </Button>
  )
  const call = useCall('listDeliveries', { block: props.block, limit: SHOWN_MAX })
  return (
    <Card title={title} label={title} acts={back} isLined>
      <Loaded call={call} empty={NONE}>
        {(deliveries) => (
          <div class="tw">
            <DataTable
              class="dl"
              columns={columnsOf(new Map(props.webhooks.map((one) => [one.id, one])))}
              rows={deliveries}
              keyOf={({ id }) => id}
              rowOf={({ superseded }) => ({ class: superseded ? 'sup' : '' })}
              onOpen={(delivery) => navigate(hrefOf(delivery))}
            />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

const NONE = (
  <Empty icon="cube" title="No delivery of this block">
    No query found anything on it, or it is older than the log, or no network has it yet.
  </Empty>
)

function columnsOf(webhooks: ReadonlyMap<string, Webhook>): readonly Column<Delivery>[] {
  return [
    {
      head: 'Webhook',
      cell: (delivery) => (
        <a class="t" href={hrefOf(delivery)}>
          {nameOf(webhooks.get(delivery.webhook_id) ?? { name: '', id: delivery.webhook_id })}
        </a>
      ),
    },
    { head: 'Status', cell: (delivery) => <StatusCell delivery={delivery} /> },
    {
      head: 'Network',
      class: 'c-narrow',
      cell: ({ network }) => <NetworkName id={network} />,
    },
    {
      head: 'Hash',
      class: 'c-narrow',
      cell: ({ block_hash }) => <Hash text={block_hash ?? ''} what="the block hash" />,
    },
    {
      head: 'Age',
      class: 'num',
      cellClass: 'quiet',
      cell: ({ time_created }) => <Age at={time_created} />,
    },
  ]
}

function hrefOf({ webhook_id, id }: Delivery): string {
  return `/webhooks/${webhook_id}?delivery=${id}`
}

function StatusCell({ delivery }: { delivery: Delivery }) {
  const { tone, word } = statusOf(delivery)
  return (
    <span class="row">
      <State tone={tone}>{word}</State>
      {delivery.rerun && (
        <span class="rr">
          <Icon name="fork" small />
          re-run
        </span>
      )}
      {delivery.superseded && <span class="tag">superseded</span>}
    </span>
  )
}

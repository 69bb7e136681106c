import { useCall } from '../../api/use-call.ts'
import type { WireDelivery, WireWebhook } from '../../api/wire.ts'
import { Empty, LoadFault, SkeletonRows } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { NetworkName, State } from '../../parts/state.tsx'
import { whole } from '../../parts/text/format.ts'
import { Hash } from '../../parts/text/hash.tsx'
import { Age } from '../../parts/text/time-ago.tsx'
import { nameOf } from '../../parts/webhooks/webhook-state.ts'
import { navigate } from '../../shell/routing/router.ts'
import { statusOf } from '../webhook/log/delivery-words.ts'

/** All that are shown; a block of a team has about one a webhook and version. */
const SHOWN_MAX = 1000

/** The deliveries of one height over all webhooks. */
export function BlockDeliveries(props: { block: number; webhooks: readonly WireWebhook[] }) {
  const asked = { block: props.block, limit: SHOWN_MAX }
  const { data, error, reload } = useCall('listDeliveries', asked)
  const byId = new Map(props.webhooks.map((one) => [one.id, one]))
  return (
    <section class="card" aria-label={`Deliveries of block ${whole(props.block)}`}>
      <div class="ch line">
        <h2>Deliveries of block {whole(props.block)}</h2>
        <span class="acts">
          <a class="btn sm" href="/webhooks">
            <Icon name="x" small />
            All webhooks
          </a>
        </span>
      </div>
      {error !== undefined && <LoadFault error={error} retry={reload} />}
      {!data && error === undefined && <SkeletonRows rows={4} />}
      {data?.data.length === 0 && (
        <Empty icon="cube" title="No delivery of this block">
          No query found anything on it, or it is older than the log, or no network has it yet.
        </Empty>
      )}
      {data && data.data.length > 0 && (
        <div class="tw">
          <table class="dl">
            <BlockHead />
            <tbody>
              {data.data.map((one) => (
                <BlockRow key={one.id} delivery={one} webhook={byId.get(one.webhook_id)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function BlockHead() {
  return (
    <thead>
      <tr>
        <th scope="col">Webhook</th>
        <th scope="col">Status</th>
        <th scope="col" class="c-narrow">
          Network
        </th>
        <th scope="col" class="c-narrow">
          Hash
        </th>
        <th scope="col" class="num">
          Age
        </th>
      </tr>
    </thead>
  )
}

function BlockRow(props: { delivery: WireDelivery; webhook: WireWebhook | undefined }) {
  const { delivery, webhook } = props
  const { tone, word } = statusOf(delivery)
  const href = `/webhooks/${delivery.webhook_id}?delivery=${delivery.id}`
  return (
    <tr class={delivery.superseded ? 'go sup' : 'go'} onClick={() => navigate(href)}>
      <td>
        <a class="t" href={href}>
          {webhook ? nameOf(webhook) : delivery.webhook_id}
        </a>
      </td>
      <td>
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
      </td>
      <td class="c-narrow">
        <NetworkName id={delivery.network} />
      </td>
      <td class="c-narrow">
        <Hash text={delivery.block_hash ?? ''} what="the block hash" />
      </td>
      <td class="num quiet">
        <Age at={delivery.time_created} />
      </td>
    </tr>
  )
}

import { useCall } from '../../api/use-call.ts'
import { Card } from '../../parts/card.tsx'
import { Empty, SkeletonRows } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Tag } from '../../parts/state.tsx'
import { findAttention } from './attention.ts'

/** More than a glance can take is a page of its own. */
const SHOWN_MAX = 8

export function AttentionCard() {
  const networks = useCall('listNetworks').data?.data
  const webhooks = useCall('listWebhooks').data?.data
  const stats = useCall('getWebhookStats').data?.data
  const isKnown = networks !== undefined && webhooks !== undefined
  const found = isKnown ? findAttention(networks, webhooks, stats ?? []) : []
  const more = found.length - SHOWN_MAX
  return (
    <Card
      title="Needs attention"
      beside={found.length > 0 && <Tag tone="bad">{found.length}</Tag>}
      isLined
      foot={more > 0 && `${more} more, on the pages of networks and webhooks.`}
    >
      {!isKnown && <SkeletonRows rows={4} />}
      {isKnown && found.length === 0 && (
        <Empty icon="check" title="Nothing does">
          Nodes that aren’t used, webhooks that stopped and deliveries that fail are listed here,
          with the reason.
        </Empty>
      )}
      {found.length > 0 && (
        <ul class="lines">
          {found.slice(0, SHOWN_MAX).map(({ id, tone, title, reason, href }) => (
            <li class="atop" key={id}>
              <span class={`dot ${tone} mt`} />
              <a class="t" href={href}>
                <span>{title}</span>
                <span class="quiet">{reason}</span>
              </a>
              <Icon name="chev" small />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

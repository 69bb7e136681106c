import { useMemo, useState } from 'preact/hooks'
import type { WireWebhook, WireWebhookStats } from '../../api/wire.ts'
import { Icon } from '../../parts/icon.tsx'
import { NetworkName } from '../../parts/state.tsx'
import { Hash } from '../../parts/text/hash.tsx'
import { DeleteWebhook } from '../../parts/webhooks/delete-webhook.tsx'
import { switchWebhook } from '../../parts/webhooks/switch-webhook.ts'
import { WebhookMenu } from '../../parts/webhooks/webhook-menu.tsx'
import { nameOf, webhookState } from '../../parts/webhooks/webhook-state.ts'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { navigate } from '../../shell/routing/router.ts'

type HeadProps = { webhook: WireWebhook; stats: WireWebhookStats | undefined }

/** The name, the state with its reason, and what can be done. */
export function WebhookHead({ webhook, stats }: HeadProps) {
  const [isDeleting, setDeleting] = useState(false)
  const { is_active: isActive } = webhook
  const flip = () => void switchWebhook(webhook, !isActive)
  const shortcuts = useMemo(
    () => [{ keys: 'p', does: isActive ? 'Pause' : 'Unpause', run: flip }],
    [webhook],
  )
  useShortcuts(shortcuts)
  return (
    <div class="head">
      <h1>{nameOf(webhook)}</h1>
      <StateTag webhook={webhook} stats={stats} />
      <div class="acts">
        <a class="btn" href={`/edit/${webhook.id}`}>
          <Icon name="edit" />
          Edit
        </a>
        <button type="button" class="btn" onClick={flip}>
          <Icon name={isActive ? 'pause' : 'play'} />
          {isActive ? 'Pause' : 'Unpause'}
        </button>
        <WebhookMenu webhook={webhook} onDelete={() => setDeleting(true)} />
      </div>
      <div class="sub row wrap g12">
        <NetworkName id={webhook.network} />
        <span class="mono tiny url">{webhook.webhook_url}</span>
        <span class="tiny">
          <Hash text={webhook.id} what="the webhook id" ends={{ head: 7, tail: 4 }} />
        </span>
      </div>
      {isDeleting && (
        <DeleteWebhook
          webhook={webhook}
          onGone={() => navigate('/webhooks')}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  )
}

function StateTag({ webhook, stats }: HeadProps) {
  const { tone, word, reason } = webhookState(webhook, stats)
  return (
    <span class={tone === 'ring' ? 'tag' : `tag ${tone}`}>
      <span class={`dot ${tone}`} />
      {reason ? `${word}: ${reason.toLowerCase()}` : word}
    </span>
  )
}

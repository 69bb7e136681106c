import type { Webhook, WebhookStats } from '@headgate/client'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { NetworkName } from '../../parts/state.tsx'
import { Hash } from '../../parts/text/hash.tsx'
import { DeleteWebhook } from '../../parts/webhooks/delete-webhook.tsx'
import { switchWebhook } from '../../parts/webhooks/switch-webhook.ts'
import { WebhookMenu } from '../../parts/webhooks/webhook-menu.tsx'
import { nameOf, webhookState } from '../../parts/webhooks/webhook-state.ts'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { navigate } from '../../shell/routing/router.ts'

type HeadProps = { webhook: Webhook; stats: WebhookStats | undefined }

export function WebhookHead({ webhook, stats }: HeadProps) {
  const [isDeleting, setDeleting] = useState(false)
  const { is_active: isActive } = webhook
  const flip = () => void switchWebhook(webhook, !isActive)
  useShortcuts([{ keys: 'p', does: isActive ? 'Pause' : 'Unpause', run: flip }])
  return (
    <div class="head">
      <h1>{nameOf(webhook)}</h1>
      <StateTag webhook={webhook} stats={stats} />
      <div class="acts">
        <Button icon="edit" href={`/edit/${webhook.id}`}>
          Edit
        </Button>
        <Button icon={isActive ? 'pause' : 'play'} onClick={flip}>
          {isActive ? 'Pause' : 'Unpause'}
        </Button>
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

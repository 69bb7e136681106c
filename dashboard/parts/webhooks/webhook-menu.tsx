import type { Webhook } from '@headgate/client'
import { callApi } from '../../api/call-api.ts'
import { navigate } from '../../shell/routing/router.ts'
import { attempt, say, sayRefused } from '../../shell/toasts.tsx'
import { Menu, type MenuAction } from '../menu.tsx'
import { copyText } from '../text/copy-button.tsx'
import { ms } from '../text/format.ts'
import { switchWebhook } from './switch-webhook.ts'
import { nameOf } from './webhook-state.ts'

export function WebhookMenu(props: { webhook: Webhook; class?: string; onDelete(): void }) {
  const { webhook } = props
  const { id, is_active: isActive } = webhook
  const actions: MenuAction[] = [
    { text: 'Edit', icon: 'edit', run: () => navigate(`/edit/${id}`) },
    { text: 'Send a test', icon: 'bolt', run: () => sendTest(webhook) },
    {
      text: 'Replay a range…',
      icon: 'again',
      run: () => navigate(`/webhooks/${id}?tab=replay`),
    },
    {
      text: 'Copy signing key',
      icon: 'key',
      run: () => void copyText(webhook.signing_key, 'the signing key'),
    },
    {
      text: isActive ? 'Pause' : 'Unpause',
      icon: isActive ? 'pause' : 'play',
      keys: 'P',
      run: () => void switchWebhook(webhook, !isActive),
    },
    { text: 'Delete…', icon: 'trash', isDanger: true, run: props.onDelete },
  ]
  return (
    <Menu
      label={`Actions for ${nameOf(webhook)}`}
      actions={actions}
      {...(props.class && { class: props.class })}
    />
  )
}

/** The newest block's result goes to the destination once, signed with a key made for it. */
function sendTest({ webhook_url, graphql_query, network }: Webhook): Promise<void> {
  return attempt(async () => {
    const body = { webhook_url, graphql_query, network }
    const { data } = await callApi('testWebhook', { body })
    const answer = data.status_code ?? data.fault ?? 'no answer'
    const text = `Test: ${answer} in ${ms(data.ms.total)}. It was signed with a key of its own.`
    if (data.accepted) say(text)
    else sayRefused(text)
  })
}

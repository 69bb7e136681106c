import type { Inbox, Webhook } from '@headgate/client'
import { callApi } from '../../api/call-api.ts'
import { invalidate, patchAnswers, useCall } from '../../api/use-call.ts'
import { useRefresh } from '../../api/use-refresh.ts'
import { Card } from '../../parts/card.tsx'
import { State } from '../../parts/state.tsx'
import { nameOf, webhookState } from '../../parts/webhooks/webhook-state.ts'
import { say, sayRefused } from '../../shell/toasts.tsx'

type Behaviour = Inbox['behaviour']

/** A webhook that a 410 paused is seen within so long, stream or not. */
const REFRESH_MS = 3000

export function InboxAnswers({ inbox }: { inbox: Inbox | undefined }) {
  useRefresh(REFRESH_MS, 'listWebhooks')
  const webhooks = useCall('listWebhooks').data?.data ?? []
  const own = inbox ? webhooks.filter(({ webhook_url: url }) => url === inbox.url) : []
  return (
    <Card
      title="How the inbox answers"
      beside={
        inbox &&
        inbox.held > 0 && <span class="acts warn small">{inbox.held} kept waiting now</span>
      }
      label="How the inbox answers"
      body="cb col"
    >
      <div class="beh five" role="radiogroup" aria-label="How the inbox answers">
        {cardsOf(inbox).map(({ value, word, hint }) => (
          <label key={value}>
            <input
              type="radio"
              name="behaviour"
              value={value}
              checked={inbox?.behaviour === value}
              disabled={!inbox}
              onChange={() => inbox && void change(inbox, value)}
            />
            <span>
              <b>{word}</b>
              <small>{hint}</small>
            </span>
          </label>
        ))}
      </div>
      {own.length > 0 && <OwnWebhooks webhooks={own} />}
    </Card>
  )
}

function OwnWebhooks({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <ul class="ownhooks" aria-label="Webhooks to this inbox">
      {webhooks.map((webhook) => {
        const { tone, word, reason } = webhookState(webhook)
        return (
          <li key={webhook.id} data-webhook={webhook.id}>
            <a class="clip" href={`/webhooks/${webhook.id}`}>
              {nameOf(webhook)}
            </a>
            <State tone={tone}>{reason ? `${word}: ${reason.toLowerCase()}` : word}</State>
          </li>
        )
      })}
    </ul>
  )
}

function cardsOf(inbox: Inbox | undefined): { value: Behaviour; word: string; hint: string }[] {
  return [
    { value: 'accept', word: '200', hint: 'OK, at once' },
    { value: 'fail', word: String(inbox?.status ?? 500), hint: 'Fail, retries' },
    { value: 'slow', word: 'Slow', hint: `200 after ${(inbox?.delay_ms ?? 6000) / 1000} s` },
    { value: 'hang', word: 'Hang', hint: 'Never answers' },
    { value: 'gone', word: '410', hint: 'Gone, pauses' },
  ]
}

async function change(inbox: Inbox, behaviour: Behaviour): Promise<void> {
  const { name } = inbox
  show(name, { ...inbox, behaviour })
  try {
    const { data } = await callApi('changeInbox', { parameters: { name }, body: { behaviour } })
    show(name, data)
    invalidate('listInboxes')
    say(`The inbox ${name} answers so from the next arrival on`)
  } catch (thrown) {
    show(name, inbox)
    sayRefused(thrown)
  }
}

function show(name: string, inbox: Inbox): void {
  patchAnswers('listInboxArrivals', (answer, parameters) =>
    parameters.name === name ? { ...answer, inbox } : answer,
  )
}

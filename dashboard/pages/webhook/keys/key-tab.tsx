import type { Webhook } from '@headgate/client'
import { useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/card.tsx'
import { CodeBlock } from '../../../parts/text/code-block.tsx'
import { SecretRow } from '../../../parts/text/secret-row.tsx'
import { patchWebhook } from '../../../parts/webhooks/switch-webhook.ts'
import { attempt, say } from '../../../shell/toasts.tsx'
import { VERIFY_SNIPPETS } from './verify-snippets.ts'

export function KeyTab({ webhook }: { webhook: Webhook }) {
  return (
    <div class="grid side">
      <section class="col g16" aria-label="Signing key">
        <Card title="Signing key" body="cb col">
          <SecretRow secret={webhook.signing_key} what="the signing key" copyLabel="Copy" />
          <p class="hint">
            Every delivery carries <span class="ic">x-service-signature</span>: the hex HMAC-SHA256
            of the raw body with this key. <span class="ic">webhook-signature</span> signs the time
            of the attempt too, as Standard Webhooks have it.
          </p>
        </Card>
        <CodeBlock what="the snippet" snippets={VERIFY_SNIPPETS} />
      </section>
      <RotateKey webhook={webhook} />
    </div>
  )
}

function RotateKey({ webhook }: { webhook: Webhook }) {
  const [isBusy, setBusy] = useState(false)
  const rotate = async (prepare: boolean) => {
    setBusy(true)
    await attempt(async () => {
      const body = { webhook_id: webhook.id, ...(prepare && { prepare }) }
      const { data } = await callApi('rotateSigningKey', { body })
      patchWebhook(webhook.id, () => data)
      say(prepare ? 'The next key is ready' : 'New signing key. The old one signs along for 24 h.')
    })
    setBusy(false)
  }
  const next = webhook.next_signing_key
  return (
    <Card title="Rotate" label="Rotate" body="cb col">
      <p class="small quiet">
        For 24 hours after the switch deliveries are signed with both keys, so you can change over
        without losing one. A receiver that reads <span class="ic">x-service-signature</span> alone
        has to learn the next key first.
      </p>
      {next === null ? (
        <Button icon="eye" disabled={isBusy} onClick={() => void rotate(true)}>
          Show the next key first
        </Button>
      ) : (
        <>
          <SecretRow secret={next} what="the next signing key" copyLabel="Copy" />
          <p class="hint">Nothing is signed with it yet. Let receivers accept both, then switch.</p>
        </>
      )}
      <Button class="danger" icon="rotate" disabled={isBusy} onClick={() => void rotate(false)}>
        {next === null ? 'Rotate signing key' : 'Switch to the next key'}
      </Button>
    </Card>
  )
}

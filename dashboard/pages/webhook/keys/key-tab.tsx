import type { WireWebhook } from '../../../api/wire.ts'
import { Card } from '../../../parts/card.tsx'
import { CodeBlock } from '../../../parts/text/code-block.tsx'
import { SecretRow } from '../../../parts/text/secret-row.tsx'
import { RotateKey } from './rotate-key.tsx'
import { VERIFY_SNIPPETS } from './verify-snippets.ts'

export function KeyTab({ webhook }: { webhook: WireWebhook }) {
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

/** How a receiver can be sure that a delivery is ours. */
export function SignatureNote({ webhookId }: { webhookId: string }) {
  return (
    <details class="sig">
      <summary>How it is signed</summary>
      <dl class="kv">
        <dt>
          <code>x-service-signature</code>
        </dt>
        <dd>
          The hex HMAC-SHA256 of the raw body, keyed with the whole signing key, its prefix
          included.
        </dd>
        <dt>
          <code>webhook-signature</code>
        </dt>
        <dd>
          The base64 HMAC-SHA256 of <code>webhook-id.webhook-timestamp.body</code>, keyed with the
          bytes that the key after <code>whsec_</code> is the base64 of (Standard Webhooks). It
          covers the time of the attempt, so that a recorded request is worth nothing later.
        </dd>
      </dl>
      <p class="hint">
        Snippets that check both are under{' '}
        <a href={`/webhooks/${webhookId}?tab=key`}>Signing key</a>.
      </p>
    </details>
  )
}

import type { DeliveryDetail } from '@headgate/client'
import { CodeTabs } from '../../../parts/text/code-block.tsx'
import { JsonText, RawCode, RawText } from '../../../parts/text/json-text.tsx'

export function DeliveryTexts({ delivery }: { delivery: DeliveryDetail }) {
  const body = delivery.body ?? ''
  const headers = headerText(delivery.headers)
  const answered = delivery.attempts.at(-1)
  const response = answered?.response_start ?? ''
  const tabs = [
    { name: 'Body', what: 'the body', text: body, children: <BodyText body={delivery.body} /> },
    { name: 'Raw', what: 'the body', text: body, children: <RawText text={body} /> },
    {
      name: 'Headers',
      what: 'the headers',
      text: headers,
      children: <HeaderText headers={delivery.headers} />,
    },
    {
      name: 'Response',
      what: 'the response',
      text: response,
      children: <ResponseText code={answered?.status_code ?? null} text={response} />,
    },
  ]
  return <CodeTabs label="Delivery" tabs={tabs} />
}

function BodyText({ body }: { body: string | null }) {
  if (body === null) return <Remark>The log does not hold this body any more.</Remark>
  return <JsonText text={body} />
}

function HeaderText({ headers }: { headers: DeliveryDetail['headers'] }) {
  if (headers === null) return <Remark>Nothing was sent yet.</Remark>
  return (
    <RawCode>
      {Object.entries(headers).map(([name, value]) => (
        <span key={name}>
          <span class="k">{name}</span>: {value}
          {'\n'}
        </span>
      ))}
      {!('x-service-signature' in headers) && (
        <span class="c">
          The signing key was rotated since; signatures of before cannot be shown.
        </span>
      )}
    </RawCode>
  )
}

function ResponseText({ code, text }: { code: number | null; text: string }) {
  if (code === null) return <Remark>No answer yet.</Remark>
  return (
    <RawCode>
      <span class="c">{code} · the beginning of the body</span>
      {`\n${text}`}
    </RawCode>
  )
}

function Remark({ children }: { children: string }) {
  return (
    <pre>
      <code class="c">{children}</code>
    </pre>
  )
}

function headerText(headers: DeliveryDetail['headers']): string {
  return Object.entries(headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

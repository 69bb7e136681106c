import type { TestWebhookAttempt } from '@headgate/client'
import { useState } from 'preact/hooks'
import { callApi } from '../../api/call-api.ts'
import { Button } from '../../parts/button.tsx'
import { useSubmit } from '../../parts/forms/use-submit.ts'
import { Refusal } from '../../parts/note.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { bytes, ms, whole } from '../../parts/text/format.ts'
import { TimeAgo } from '../../parts/text/time-ago.tsx'
import type { EditorModel } from './use-editor.ts'

type Tried = { attempt: TestWebhookAttempt; atMs: number; url: string }

const FAULTS: Readonly<Record<string, string>> = {
  dns: 'its name was not found',
  connect: 'no connection could be made',
  tls: 'its certificate or TLS was not accepted',
  timeout: 'it did not answer in time',
  reset: 'it closed the connection',
  protocol: 'its answer is no HTTP',
}

/** Sends the result of one block to the destination, signed as every delivery is. */
export function SendTest({ model, block }: { model: EditorModel; block: string }) {
  const { draft, problems } = model
  const [tried, setTried] = useState<Tried | null>(null)
  const lacksUrl = draft.url.trim() ? '' : 'There is no destination yet'
  const lacks = problems.length > 0 ? 'The query has a problem' : lacksUrl
  const { fault, isBusy, submit } = useSubmit(async () => {
    setTried(null)
    const { url, network, query } = draft
    const body = { webhook_url: url.trim(), graphql_query: query, network }
    const { data } = await callApi('testWebhook', { body: { ...body, ...(block && { block }) } })
    setTried({ attempt: data, atMs: Date.now(), url })
  })
  return (
    <div class="row wrap">
      <Button
        icon="bolt"
        disabled={isBusy || lacks !== ''}
        title={lacks || 'Sends the result of one block, once and signed'}
        onClick={() => submit()}
      >
        {isBusy ? 'Sending…' : 'Send a test'}
      </Button>
      <Refusal class="hint bad">{fault}</Refusal>
      {tried && tried.url === draft.url && <TestOutcome tried={tried} />}
    </div>
  )
}

function TestOutcome({ tried }: { tried: Tried }) {
  const { attempt, atMs } = tried
  const took = ms(attempt.ms.total ?? 0)
  const answered =
    attempt.status_code === null ? null : `Answered ${attempt.status_code} in ${took}`
  return (
    <span class="hint" role="status">
      <span class={attempt.accepted ? 'ok' : 'badtext'}>
        {answered ?? `Not delivered: ${FAULTS[attempt.fault ?? ''] ?? attempt.fault ?? ''}`}
      </span>{' '}
      to a signed test of {bytes(attempt.bytes)} with block {whole(attempt.block.number)},{' '}
      <TimeAgo at={atMs} />.{' '}
      {!attempt.accepted && attempt.response_start && (
        <>
          It said: <code>{attempt.response_start.slice(0, 200)}</code>.{' '}
        </>
      )}
      Its key was <code>{attempt.signing_key.slice(0, 10)}…</code>
      <CopyButton class="ib sm" text={attempt.signing_key} what="the key of the test" />
    </span>
  )
}

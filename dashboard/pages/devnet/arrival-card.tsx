import type { InboxArrival } from '@headgate/client'
import { Card } from '../../parts/card.tsx'
import { Fact } from '../../parts/fact.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { Tag } from '../../parts/state.tsx'
import { PlainCode } from '../../parts/text/code-block.tsx'
import { bytes, plural, whole } from '../../parts/text/format.ts'
import { JsonText, RawText } from '../../parts/text/json-text.tsx'
import { usePlace } from '../../shell/routing/router.ts'
import { titleOf } from './arrival-table.tsx'

export function ArrivalCard({ arrival }: { arrival: InboxArrival | null }) {
  const wanted = usePlace().query.get('arrival')
  if (!arrival) {
    if (wanted === null) return null
    return (
      <section class="card">
        <Note icon="info" class="slimnote">
          This arrival is not among those in view: it is older, or the inbox was emptied.
        </Note>
      </section>
    )
  }
  const isValid = arrival.signature === 'valid'
  return (
    <Card
      title={arrival.block_number === null ? titleOf(arrival) : `Block ${titleOf(arrival)}`}
      beside={
        <Tag tone={isValid ? 'ok' : 'bad'}>
          <Icon name={isValid ? 'shield' : 'warn'} small />
          {isValid ? 'Signature verified' : `Signature ${arrival.signature}`}
        </Tag>
      }
      acts={<span class="quiet small">{bytes(arrival.bytes)}</span>}
      label="The chosen arrival"
      body="cb col arrivalbody"
    >
      <Body arrival={arrival} />
      <Facts arrival={arrival} />
      <Headers arrival={arrival} />
    </Card>
  )
}

function Body({ arrival: { body, is_body_cut: isCut } }: { arrival: InboxArrival }) {
  return (
    <>
      <PlainCode name="body" text={body} what="the body">
        <JsonText text={body} />
      </PlainCode>
      {isCut && <p class="hint">The body is longer; its first 64 KiB are kept.</p>}
    </>
  )
}

function Facts({ arrival }: { arrival: InboxArrival }) {
  const { signature_fault: fault, previous_sequence_number: previous } = arrival
  return (
    <dl class="kv">
      <Fact name="Signature">
        {fault === null ? (
          <span class="ok">matches the webhook’s signing key</span>
        ) : (
          <span class="bad">{fault}</span>
        )}
      </Fact>
      {previous !== null && (
        <Fact name="Before it">
          <span class="mono tiny">{previous}</span>{' '}
          {arrival.is_gap ? (
            <span class="warn">has not arrived here</span>
          ) : (
            <span class="ok">nothing missing</span>
          )}
        </Fact>
      )}
      {arrival.webhook_id !== null && (
        <Fact name="Webhook">
          <a class="mono tiny" href={`/webhooks/${arrival.webhook_id}`}>
            {arrival.webhook_id}
          </a>
        </Fact>
      )}
      {arrival.is_superseded && (
        <Fact name="Since" class="fork">
          Block {whole(arrival.block_number ?? 0)} has arrived again with a higher sequence number,
          which counts.
        </Fact>
      )}
    </dl>
  )
}

function Headers({ arrival }: { arrival: InboxArrival }) {
  const lines = Object.entries(arrival.headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <details class="arrivalheaders">
      <summary>{plural(lines.length, 'header')}</summary>
      <div class="code">
        <RawText text={lines.join('\n')} />
      </div>
    </details>
  )
}

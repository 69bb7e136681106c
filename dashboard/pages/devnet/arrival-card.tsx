import type { WireArrival } from '../../api/wire.ts'
import { Icon } from '../../parts/icon.tsx'
import { Tag } from '../../parts/state.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { bytes, plural, whole } from '../../parts/text/format.ts'
import { JsonText, RawText } from '../../parts/text/json-text.tsx'
import { usePlace } from '../../shell/routing/router.ts'
import { titleOf } from './arrival-table.tsx'

/** One arrival with its body and headers. */
export function ArrivalCard({ arrival }: { arrival: WireArrival | null }) {
  const wanted = usePlace().query.get('arrival')
  if (!arrival) {
    if (wanted === null) return null
    return (
      <section class="card">
        <p class="note slimnote">
          <Icon name="info" />
          This arrival is not among those in view: it is older, or the inbox was emptied.
        </p>
      </section>
    )
  }
  const isValid = arrival.signature === 'valid'
  return (
    <section class="card" aria-label="The chosen arrival">
      <div class="ch">
        <h2>{arrival.block_number === null ? titleOf(arrival) : `Block ${titleOf(arrival)}`}</h2>
        <Tag tone={isValid ? 'ok' : 'bad'}>
          <Icon name={isValid ? 'shield' : 'warn'} small />
          {isValid ? 'Signature verified' : `Signature ${arrival.signature}`}
        </Tag>
        <span class="acts">
          <span class="quiet small">{bytes(arrival.bytes)}</span>
        </span>
      </div>
      <div class="cb col arrivalbody">
        <Body arrival={arrival} />
        <Facts arrival={arrival} />
        <Headers arrival={arrival} />
      </div>
    </section>
  )
}

function Body({ arrival: { body, is_body_cut: isCut } }: { arrival: WireArrival }) {
  return (
    <>
      <div class="code">
        <div class="codehead">
          <span>body</span>
          <span class="grow" />
          <CopyButton class="ib sm" text={body} what="the body" />
        </div>
        <JsonText text={body} />
      </div>
      {isCut && <p class="hint">The body is longer; its first 64 KiB are kept.</p>}
    </>
  )
}

function Facts({ arrival }: { arrival: WireArrival }) {
  const { signature_fault: fault, previous_sequence_number: previous } = arrival
  return (
    <dl class="kv">
      <dt>Signature</dt>
      <dd>
        {fault === null ? (
          <span class="ok">matches the webhook’s signing key</span>
        ) : (
          <span class="bad">{fault}</span>
        )}
      </dd>
      {previous !== null && (
        <>
          <dt>Before it</dt>
          <dd>
            <span class="mono tiny">{previous}</span>{' '}
            {arrival.is_gap ? (
              <span class="warn">has not arrived here</span>
            ) : (
              <span class="ok">nothing missing</span>
            )}
          </dd>
        </>
      )}
      {arrival.webhook_id !== null && (
        <>
          <dt>Webhook</dt>
          <dd>
            <a class="mono tiny" href={`/webhooks/${arrival.webhook_id}`}>
              {arrival.webhook_id}
            </a>
          </dd>
        </>
      )}
      {arrival.is_superseded && (
        <>
          <dt>Since</dt>
          <dd class="fork">
            Block {whole(arrival.block_number ?? 0)} has arrived again with a higher sequence
            number, which counts.
          </dd>
        </>
      )}
    </dl>
  )
}

function Headers({ arrival }: { arrival: WireArrival }) {
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

import { Tag } from '../../../parts/state.tsx'
import { ms, whole } from '../../../parts/text/format.ts'
import { PlainCode } from '../../../parts/text/plain-code.tsx'
import type { CallOutcome } from './send-call.ts'

export function CallOutcomeView({ outcome }: { outcome: CallOutcome }) {
  const isFine = outcome.status < 400
  return (
    <div class="col" role="status">
      <p class="row wrap small">
        <Tag tone={isFine ? 'ok' : 'bad'}>{outcome.status}</Tag>
        <span>{ms(outcome.tookMs)}</span>
        {outcome.headers.map(([name, value]) => (
          <span class="quiet" key={name}>
            <code>{name}</code> {value}
          </span>
        ))}
      </p>
      {outcome.text !== '' && <PlainCode name="Answer" text={outcome.text} what="the answer" />}
      {outcome.cutBytes > 0 && (
        <p class="hint">{whole(outcome.cutBytes)} more characters are not shown.</p>
      )}
    </div>
  )
}

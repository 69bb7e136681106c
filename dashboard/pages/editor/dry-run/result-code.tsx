import { CopyButton } from '../../../parts/text/copy-button.tsx'
import { JsonText } from '../../../parts/text/json-text.tsx'

/** A result to read: long hex is folded in the middle, and everything copies whole. */
export function ResultCode({ text }: { text: string }) {
  return (
    <div class="code">
      <div class="codehead">
        <span>event.data</span>
        <span class="grow" />
        <CopyButton class="ib sm" text={text} what="the whole result" />
      </div>
      <JsonText text={text} />
    </div>
  )
}

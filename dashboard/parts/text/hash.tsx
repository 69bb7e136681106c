import { CopyButton } from './copy-button.tsx'
import { middleCut } from './format.ts'

/** A hash or id, cut in the middle; whole in the title and when copied. */
export function Hash(props: { text: string; what: string; ends?: { head: number; tail: number } }) {
  return (
    <span class="hash">
      <code title={props.text}>{middleCut(props.text, props.ends)}</code>
      <CopyButton text={props.text} what={props.what} />
    </span>
  )
}

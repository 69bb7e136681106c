import { CopyButton } from './copy-button.tsx'

/** A text as code, with a name above it and a button that copies it. */
export function PlainCode({ name, text, what }: { name: string; text: string; what: string }) {
  return (
    <div class="code">
      <div class="codehead">
        <span class="grow">{name}</span>
        <CopyButton class="ib sm" text={text} what={what} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys. */}
      <pre tabIndex={0}>{text}</pre>
    </div>
  )
}

import type { ComponentChildren } from 'preact'
import { jsonLines } from './json-lines.ts'

/** Lines that are drawn; the copy button has the rest. */
const LINES_MAX = 1000

const RAW_MAX = 100_000

const INDENT = '  '

export function JsonText({ text }: { text: string }) {
  const found = jsonLines(text, LINES_MAX)
  if (!found) return <RawText text={text} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <pre tabIndex={0} onCopy={copyWhole}>
      <code>
        {found.lines.map(({ depth, tokens }, at) => (
          <span key={at}>
            {INDENT.repeat(depth)}
            {tokens.map(({ kind, text: shown, whole }, place) => (
              <span key={place} class={kind} data-whole={whole} title={cutTitle(whole)}>
                {shown}
              </span>
            ))}
            {'\n'}
          </span>
        ))}
        {found.isCut && <span class="c">The first {LINES_MAX} lines; copying takes all.</span>}
      </code>
    </pre>
  )
}

export function RawText({ text }: { text: string }) {
  return (
    <RawCode>
      {text.slice(0, RAW_MAX)}
      {text.length > RAW_MAX && <span class="c">… and more; copying takes all.</span>}
    </RawCode>
  )
}

export function RawCode({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <pre class="raw" tabIndex={0}>
      <code>{children}</code>
    </pre>
  )
}

function cutTitle(whole: string | undefined): string | undefined {
  return whole === undefined ? undefined : `${whole.length.toLocaleString('en-US')} characters`
}

/** Puts back into a copied selection what was left out of the middle of strings. */
function copyWhole(event: ClipboardEvent): void {
  const selection = getSelection()
  if (!selection || selection.rangeCount === 0 || !event.clipboardData) return
  const copied = selection.getRangeAt(0).cloneContents()
  const cut = copied.querySelectorAll<HTMLElement>('[data-whole]')
  if (cut.length === 0) return
  for (const element of cut) element.textContent = element.dataset.whole ?? ''
  event.clipboardData.setData('text/plain', copied.textContent ?? '')
  event.preventDefault()
}

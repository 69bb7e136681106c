import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { TabList } from '../tabs.tsx'
import { CopyButton } from './copy-button.tsx'

type Snippet = { name: string; text: string }

type BlockProps = {
  snippets: readonly Snippet[]
  what: string
  /** The name of the one in view, where a page keeps it; else the block does. */
  chosen?: string
  onChoose?(name: string): void
  aside?: ComponentChildren
}

export function CodeBlock({ snippets, what, ...rest }: BlockProps) {
  const tabs = snippets.map(({ name, text }) => ({
    name,
    what,
    text,
    children: (
      <Pre>
        <Highlighted text={text} />
      </Pre>
    ),
  }))
  return <CodeTabs label="Language" tabs={tabs} {...rest} />
}

type CodeTab = {
  name: string
  /** Said when it was copied. */
  what: string
  /** The whole text, however much of it is shown. */
  text: string
  children: ComponentChildren
}

type TabsProps = Pick<BlockProps, 'chosen' | 'onChoose' | 'aside'> & {
  label: string
  tabs: readonly CodeTab[]
}

export function CodeTabs({ label, tabs, chosen, onChoose, aside }: TabsProps) {
  const id = useId()
  const [kept, setKept] = useState('')
  const shown = tabs.find(({ name }) => name === (chosen ?? kept)) ?? tabs[0]
  if (!shown) return null
  return (
    <div class="code">
      <div class="codehead">
        <TabList
          id={id}
          label={label}
          value={shown.name}
          tabs={tabs.map(({ name }) => ({ value: name, text: name }))}
          onChange={onChoose ?? setKept}
        />
        <span class="grow" />
        {aside}
        <CopyButton class="ib sm" text={shown.text} what={shown.what} />
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${shown.name}`}>
        {shown.children}
      </div>
    </div>
  )
}

type PlainProps = { name: string; text: string; what: string; children?: ComponentChildren }

export function PlainCode({ name, text, what, children }: PlainProps) {
  return (
    <div class="code">
      <div class="codehead">
        <span class="grow">{name}</span>
        <CopyButton class="ib sm" text={text} what={what} />
      </div>
      {children ?? <Pre>{text}</Pre>}
    </div>
  )
}

function Pre({ children }: { children: ComponentChildren }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys.
  return <pre tabIndex={0}>{children}</pre>
}

/** A text in quotes of any kind, or a word of its own. */
const TOKEN =
  /(?<s>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<v>\$\w+)|\b(?<k>import|from|const|async|await|new|return|if|def|query|fragment|curl|openssl|print)\b/g

function Highlighted({ text }: { text: string }) {
  const parts = []
  let end = 0
  for (const found of text.matchAll(TOKEN)) {
    const { s, v } = found.groups ?? {}
    parts.push(
      text.slice(end, found.index),
      <span key={found.index} class={s ? 's' : v ? 'v' : 'k'}>
        {found[0]}
      </span>,
    )
    end = found.index + found[0].length
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  )
}

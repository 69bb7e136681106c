import type { ComponentChildren } from 'preact'

export type Tone = 'ok' | 'warn' | 'bad' | 'idle' | 'ring' | 'fork'

/** A dot and always a word: colour is never alone. */
export function State(props: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class="st">
      <span class={`dot ${props.tone}`} />
      <span>{props.children}</span>
    </span>
  )
}

export function Tag(props: {
  tone?: 'ok' | 'warn' | 'bad' | 'fork' | 'info' | 'out'
  children: ComponentChildren
}) {
  return <span class={props.tone ? `tag ${props.tone}` : 'tag'}>{props.children}</span>
}

export function NetworkName({ id }: { id: string }) {
  return <span class={`net ${familyOf(id)}`}>{id}</span>
}

function familyOf(id: string): string {
  if (id.startsWith('ETH')) return 'eth'
  if (id.startsWith('BASE')) return 'base'
  return id.startsWith('SOLANA') ? 'sol' : ''
}

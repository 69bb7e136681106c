import { useState } from 'preact/hooks'
import { say, sayRefused } from '../../shell/toasts.tsx'
import { Icon, type IconName } from '../icon.tsx'

const DONE_MS = 1400

/** Copies a text. The toast names what was copied, never the text: it may be a secret. */
export function CopyButton(props: { text: string; what: string; class?: string; icon?: IconName }) {
  const [isDone, setDone] = useState(false)
  const copy = async (event: Event) => {
    event.stopPropagation()
    await copyText(props.text, props.what)
    setDone(true)
    setTimeout(() => setDone(false), DONE_MS)
  }
  return (
    <button
      type="button"
      class={`${props.class ?? 'copy'}${isDone ? ' done' : ''}`}
      aria-label={`Copy ${props.what}`}
      title={`Copy ${props.what}`}
      onClick={copy}
    >
      <Icon name={isDone ? 'check' : (props.icon ?? 'copy')} small />
    </button>
  )
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    // Browsers have a clipboard on this machine and over TLS only.
    if (navigator.clipboard) await navigator.clipboard.writeText(text)
    else copyBySelection(text)
    say(`Copied ${what}`)
  } catch {
    sayRefused('The browser did not let the page copy')
  }
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'vh'
  // A dialog in front of the page keeps the focus inside.
  const front = document.querySelector('dialog[open]') ?? document.body
  front.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('refused')
}

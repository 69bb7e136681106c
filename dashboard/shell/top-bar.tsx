import type { LiveState } from '../api/live.ts'
import { useLiveState } from '../api/live.ts'
import { Icon, Logo } from '../parts/icon.tsx'
import { MOD_KEY } from './keys/mod-key.ts'
import { ThemeButton } from './theme-button.tsx'

/** A step on the way to the page in view; the last has no address. */
export type Crumb = { text: string; href?: string }

const LIVE_WORDS: Readonly<Record<LiveState, { text: string; title: string }>> = {
  live: { text: 'Live', title: 'Updates arrive as they happen' },
  connecting: { text: 'Connecting', title: 'Connecting to the stream of updates' },
  lost: { text: 'Not live', title: 'The stream of updates is lost; it is tried again' },
  quiet: { text: 'Resting', title: 'Updates rest while the page is hidden' },
}

/** Whoever is not signed in has nothing to search, and no updates: `onFind` is null. */
export function TopBar(props: { crumbs: readonly Crumb[]; onFind: (() => void) | null }) {
  const { crumbs, onFind } = props
  return (
    <header class="topbar">
      <a class="brand" href="/">
        <Logo />
        Headgate
      </a>
      <nav aria-label="You are here">
        <ol class="crumbs">
          {crumbs.map(({ text, href }) => (
            <li key={text}>
              {href ? <a href={href}>{text}</a> : <span aria-current="page">{text}</span>}
            </li>
          ))}
        </ol>
      </nav>
      {onFind ? <FindAndLive onFind={onFind} /> : <span class="grow" />}
      <ThemeButton />
    </header>
  )
}

function FindAndLive({ onFind }: { onFind(): void }) {
  return (
    <>
      <button class="find" type="button" onClick={onFind}>
        <Icon name="find" small />
        <span>Search or jump to…</span>
        <kbd>{MOD_KEY}K</kbd>
      </button>
      <LiveMark />
      <a class="ib small-only" href="/settings" aria-label="Settings">
        <Icon name="gear" />
      </a>
    </>
  )
}

function LiveMark() {
  const state = useLiveState()
  const { text, title } = LIVE_WORDS[state]
  return (
    <span class="live" title={title} data-live={state}>
      <i class={state === 'live' ? 'pulse' : 'dot'} />
      <span>{text}</span>
    </span>
  )
}

import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useVisitor } from '../api/session.ts'
import { openPalette } from './keys/palette.tsx'
import { LostStream } from './lost-stream.tsx'
import { GuestRail, Rail, TabBar } from './rail.tsx'
import { usePlace } from './routing/router.ts'
import { type Crumb, TopBar } from './top-bar.tsx'
import { useFreshAnswers } from './use-fresh-answers.ts'
import { UsedUpMonth } from './used-up-month.tsx'

/** A page in its frame: the rail, the bar above, and the way here. */
export function PageFrame(props: {
  title: string
  crumbs?: readonly Crumb[]
  children: ComponentChildren
}) {
  const { path } = usePlace()
  const visitor = useVisitor()
  useFreshAnswers()
  const isGuest = visitor.kind !== 'signed-in'
  const isLocal = visitor.kind === 'signed-in' && visitor.session.local_development
  useEffect(() => {
    document.title = `${props.title} · Headgate`
  }, [props.title])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        {isGuest ? <GuestRail path={path} /> : <Rail path={path} isLocal={isLocal} />}
        <div class="stage">
          <TopBar
            crumbs={props.crumbs ?? [{ text: props.title }]}
            onFind={isGuest ? null : openPalette}
          />
          <main id="main" tabIndex={-1}>
            {!isGuest && <LostStream />}
            {!isGuest && <UsedUpMonth />}
            {props.children}
          </main>
        </div>
      </div>
      <TabBar path={path} isLocal={isLocal} isGuest={isGuest} />
    </>
  )
}

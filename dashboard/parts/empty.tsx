import type { ComponentChildren } from 'preact'
import { messageOf } from '../api/call-api.ts'
import { BlocksArt, GateArt } from './art.tsx'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Banner } from './note.tsx'

export function Empty(props: {
  icon?: IconName
  /** A drawing in place of the icon. */
  art?: ComponentChildren
  title: string
  isCard?: boolean
  /** The page has no heading but its own above this one. */
  isTop?: boolean
  /** The page has no other heading at all. */
  isPage?: boolean
  children?: ComponentChildren
  acts?: ComponentChildren
}) {
  const Heading = props.isPage ? 'h1' : props.isTop ? 'h2' : 'h3'
  const words = (
    <div class="empty">
      {props.art}
      {props.icon && (
        <span class="art">
          <Icon name={props.icon} />
        </span>
      )}
      <Heading>{props.title}</Heading>
      {props.children && <p>{props.children}</p>}
      {props.acts && <div class="acts">{props.acts}</div>}
    </div>
  )
  return props.isCard ? <section class="card">{words}</section> : words
}

type NoneProps = { isCard?: boolean; isTop?: boolean; acts: ComponentChildren }

export function NoApps(props: NoneProps) {
  return (
    <Empty {...props} art={<GateArt />} title="No apps yet">
      An app is a key that opens networks. Create one and call a node with it a second later.
    </Empty>
  )
}

export function NoWebhooks(props: NoneProps) {
  return (
    <Empty {...props} art={<BlocksArt />} title="No webhooks yet">
      Write a query once. Headgate runs it on every new block and posts what it finds to you,
      signed.
    </Empty>
  )
}

export function NoNetwork() {
  return (
    <Empty isCard isTop icon="nodes" title="No network is configured">
      The operator names networks and their nodes under <span class="ic">networks</span> in the
      configuration file.
    </Empty>
  )
}

export function LoadFault({ error, retry }: { error: unknown; retry(): void }) {
  const act = <Button onClick={retry}>Try again</Button>
  return (
    <Banner class="bad" icon="warn" role="alert" title="This could not be read" acts={act}>
      {messageOf(error)}
    </Banner>
  )
}

/** The outline of rows that are on their way; as tall as they will be, so that nothing jumps. */
export function SkeletonRows({ rows }: { rows: number }) {
  return (
    <ul class="lines" aria-hidden="true">
      {Array.from({ length: rows }, (_, at) => (
        <li key={at}>
          <span class="t">
            <span class="sk b" />
            <span class="sk a" />
          </span>
          <span class="sk f" />
        </li>
      ))}
    </ul>
  )
}

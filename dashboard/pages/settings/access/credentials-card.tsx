import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/card.tsx'
import { ConfirmDialog } from '../../../parts/dialog.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { say } from '../../../shell/toasts.tsx'

type Listed = {
  id: string
  name: string
  tag: ComponentChildren
  about: ComponentChildren
  /** Why it cannot be revoked; absent where it can. */
  kept?: string | undefined
}

type CardProps<T> = {
  title: string
  about: string
  /** The words of the button that adds one. */
  action: string
  call: { data: { data: readonly T[] } | undefined; error: unknown; reload(): void }
  listed(credential: T): Listed
  /** One of them, in a word. */
  what: string
  /** What is lost when one is revoked. */
  lost: ComponentChildren
  saidOf(name: string): string
  revoke(id: string): Promise<void>
  adding(onClose: () => void): ComponentChildren
  empty: ComponentChildren
  foot: ComponentChildren
}

export function CredentialsCard<T>(props: CardProps<T>) {
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<Listed | null>(null)
  const add = (
    <Button class="primary" icon="plus" onClick={() => setAdding(true)}>
      {props.action}
    </Button>
  )
  const { title, about, foot, call, empty } = props
  return (
    <>
      <Card isLined title={title} about={about} acts={add} foot={foot} footIcon="shield">
        <Loaded call={call} rows={3} around="cb pad" empty={empty}>
          {(credentials) => (
            <ul class="lines">
              {credentials.map(props.listed).map((listed) => (
                <CredentialRow key={listed.id} {...listed} onRevoke={() => setLeaving(listed)} />
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      {isAdding && props.adding(() => setAdding(false))}
      {leaving && (
        <ConfirmDialog
          title={`Revoke ${leaving.name}?`}
          action={`Revoke ${props.what}`}
          typed={leaving.name}
          onConfirm={async () => {
            await props.revoke(leaving.id)
            say(props.saidOf(leaving.name))
          }}
          onClose={() => setLeaving(null)}
        >
          <p class="quiet">{props.lost}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function CredentialRow({ name, tag, about, kept, onRevoke }: Listed & { onRevoke(): void }) {
  return (
    <li>
      <span class="t">
        <span class="row">
          <span class="clip">{name}</span>
          {tag}
        </span>
        <span class="faint tiny wraps">{about}</span>
      </span>
      <Button
        class="sm danger"
        aria-label={`Revoke ${name}`}
        disabled={kept !== undefined}
        title={kept}
        onClick={onRevoke}
      >
        Revoke
      </Button>
    </li>
  )
}

import type { ComponentChildren } from 'preact'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { SecretRow } from '../../parts/text/secret-row.tsx'

/** A secret that nobody can show again: it is copied now, or made anew. */
export function ShownOnce(props: {
  title: string
  secret: string
  onClose(): void
  children: ComponentChildren
}) {
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      foot={
        <button class="btn primary" type="button" onClick={props.onClose}>
          Done
        </button>
      }
    >
      <p>{props.children}</p>
      <SecretRow secret={props.secret} what="the token" copyLabel="Copy token" />
      <div class="note warn">
        <Icon name="warn" />
        <span>
          <b>It is shown only now.</b> Headgate keeps its SHA-256, not the token itself.
        </span>
      </div>
    </Dialog>
  )
}

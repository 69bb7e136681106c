import type { ComponentChildren } from 'preact'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Note } from '../../parts/note.tsx'
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
        <Button class="primary" onClick={props.onClose}>
          Done
        </Button>
      }
    >
      <p>{props.children}</p>
      <SecretRow secret={props.secret} what="the token" copyLabel="Copy token" />
      <Note tone="warn" icon="warn">
        <b>It is shown only now.</b> Headgate keeps its SHA-256, not the token itself.
      </Note>
    </Dialog>
  )
}

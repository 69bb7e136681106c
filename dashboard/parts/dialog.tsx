import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from './button.tsx'
import { TextField } from './forms/field.tsx'
import { useSubmit } from './forms/use-submit.ts'
import { Refusal } from './note.tsx'

/** A dialog of the browser: it keeps the focus, and Escape closes it. */
export function Dialog(props: {
  title: string
  isWide?: boolean
  onClose(): void
  children: ComponentChildren
  foot?: ComponentChildren
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const isGone = useRef(false)
  // Closed before it goes, a dialog gives the focus back to where it came from.
  useEffect(() => {
    const dialog = ref.current
    isGone.current = false
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[data-met]')?.focus()
    return () => {
      isGone.current = true
      dialog?.close()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={props.isWide ? 'wide' : ''}
      aria-labelledby={titleId}
      onClose={() => isGone.current || props.onClose()}
      onPointerDown={(event) => event.target === ref.current && props.onClose()}
      onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
    >
      <div class="dlg">
        <div class="dh">
          <h2 id={titleId} class="grow">
            {props.title}
          </h2>
          <IconButton class="sm" icon="x" label="Close" onClick={props.onClose} />
        </div>
        <div class="db">{props.children}</div>
        {props.foot && <div class="df">{props.foot}</div>}
      </div>
    </dialog>
  )
}

/** A dialog with a form. What the service refuses is said below the fields. */
export function FormDialog(props: {
  title: string
  /** The words of the button that sends it. */
  action: ComponentChildren
  /** The look of that button. */
  class?: string
  mayNotSend?: boolean
  onSend(): Promise<unknown>
  onClose(): void
  children: ComponentChildren
}) {
  const id = useId()
  // A disabled button does not stop Ctrl+Enter.
  const { fault, isBusy, submit } = useSubmit(async () => {
    if (!props.mayNotSend) await props.onSend()
  })
  const foot = (
    <>
      <Button class="ghost" onClick={props.onClose}>
        Cancel
      </Button>
      <Button
        class={props.class ?? 'primary'}
        type="submit"
        form={id}
        disabled={isBusy || (props.mayNotSend ?? false)}
      >
        {props.action}
      </Button>
    </>
  )
  return (
    <Dialog title={props.title} onClose={props.onClose} foot={foot}>
      <form id={id} class="col g16" onSubmit={submit} onKeyDown={submitOnModEnter}>
        {props.children}
        <Refusal>{fault}</Refusal>
      </form>
    </Dialog>
  )
}

function submitOnModEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
  event.preventDefault()
  ;(event.currentTarget as HTMLFormElement).requestSubmit()
}

/** Asks before something is lost; where `typed` is given, its text has to be typed first. */
export function ConfirmDialog(props: {
  title: string
  action: string
  typed?: string
  children: ComponentChildren
  onConfirm(): Promise<void>
  onClose(): void
}) {
  const [text, setText] = useState('')
  const mayGo = props.typed === undefined || text.trim() === props.typed
  const confirm = async () => {
    await props.onConfirm()
    props.onClose()
  }
  const asked = (
    <>
      Type <b>{props.typed}</b> to confirm
    </>
  )
  return (
    <FormDialog
      title={props.title}
      action={props.action}
      class="danger fill"
      mayNotSend={!mayGo}
      onSend={confirm}
      onClose={props.onClose}
    >
      {props.children}
      {props.typed !== undefined && (
        <TextField isFirst label={asked} value={text} onChange={setText} />
      )}
    </FormDialog>
  )
}

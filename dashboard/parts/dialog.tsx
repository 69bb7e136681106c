import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { messageOf } from '../api/api-error.ts'
import { Icon } from './icon.tsx'

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
          <button class="ib sm" type="button" aria-label="Close" onClick={props.onClose}>
            <Icon name="x" small />
          </button>
        </div>
        <div class="db">{props.children}</div>
        {props.foot && <div class="df">{props.foot}</div>}
      </div>
    </dialog>
  )
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
  const [refusal, setRefusal] = useState('')
  const [isBusy, setBusy] = useState(false)
  const mayGo = props.typed === undefined || text.trim() === props.typed
  const confirm = async (event: Event) => {
    event.preventDefault()
    if (!mayGo || isBusy) return
    setBusy(true)
    try {
      await props.onConfirm()
      props.onClose()
    } catch (thrown) {
      setRefusal(messageOf(thrown))
      setBusy(false)
    }
  }
  const inputId = useId()
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form class="col g16" onSubmit={confirm}>
        {props.children}
        {props.typed !== undefined && (
          <div class="field">
            <label for={inputId}>
              Type <b>{props.typed}</b> to confirm
            </label>
            <input
              id={inputId}
              class="in"
              data-met="true"
              autocomplete="off"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </div>
        )}
        {refusal && (
          <p class="note bad" role="alert">
            {refusal}
          </p>
        )}
        <div class="row">
          <span class="grow" />
          <button class="btn" type="button" onClick={props.onClose}>
            Cancel
          </button>
          <button class="btn danger fill" type="submit" disabled={!mayGo || isBusy}>
            {props.action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

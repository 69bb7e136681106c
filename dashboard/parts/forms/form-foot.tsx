import type { ComponentChildren } from 'preact'

type FootProps = { formId: string; onClose(): void; children: ComponentChildren }

/** The foot of a dialog with a form: a way out, and the button that sends it. */
export function FormFoot({ formId, onClose, children }: FootProps) {
  return (
    <>
      <button class="btn ghost" type="button" onClick={onClose}>
        Cancel
      </button>
      <button class="btn primary" type="submit" form={formId}>
        {children}
      </button>
    </>
  )
}

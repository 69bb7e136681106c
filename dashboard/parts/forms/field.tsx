import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = {
  label: string
  hint?: ComponentChildren
  /** What is wrong with the value, said below it. */
  fault?: string | undefined
}

type InputProps = FieldProps & {
  value: string
  onChange(value: string): void
  type?: 'text' | 'password' | 'url' | 'number' | 'search'
  class?: string
  placeholder?: string
  autocomplete?: 'off' | 'current-password'
  maxLength?: number
  isDisabled?: boolean
  /** Has the focus when it comes into view. */
  isFirst?: boolean
}

/** A line of text with its label, a hint, and what is wrong with it. */
export function TextField(props: InputProps) {
  const { label, hint, fault } = props
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={(input) => {
          if (props.isFirst && input && !input.dataset.met) {
            input.dataset.met = 'true'
            input.focus()
          }
        }}
        class={props.class ? `in ${props.class}` : 'in'}
        type={(props.type ?? 'text') as 'text'}
        value={props.value}
        placeholder={props.placeholder ?? ''}
        autocomplete={props.autocomplete ?? 'off'}
        maxLength={props.maxLength ?? 2048}
        disabled={props.isDisabled ?? false}
        onInput={(event) => props.onChange(event.currentTarget.value)}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={hint || fault ? `${id}-hint` : undefined}
      />
      <Hint id={id} hint={hint} fault={fault} />
    </div>
  )
}

type TextAreaProps = FieldProps & {
  value: string
  onChange(value: string): void
  rows: number
  placeholder?: string
  maxLength: number
}

/** Several lines of text that a program reads. */
export function TextAreaField(props: TextAreaProps) {
  const { label, hint, fault } = props
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="in mono"
        rows={props.rows}
        spellcheck={false}
        placeholder={props.placeholder ?? ''}
        maxLength={props.maxLength}
        value={props.value}
        onInput={(event) => props.onChange(event.currentTarget.value)}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={hint || fault ? `${id}-hint` : undefined}
      />
      <Hint id={id} hint={hint} fault={fault} />
    </div>
  )
}

type SelectProps = FieldProps & {
  value: string
  options: readonly { value: string; text: string }[]
  onChange(value: string): void
}

export function SelectField({ label, hint, fault, value, options, onChange }: SelectProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="in"
        value={value}
        aria-describedby={hint || fault ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      <Hint id={id} hint={hint} fault={fault} />
    </div>
  )
}

type SwitchProps = {
  label: string
  hint?: ComponentChildren
  isOn: boolean
  isDisabled?: boolean
  onChange(isOn: boolean): void
}

export function Switch({ label, hint, isOn, isDisabled = false, onChange }: SwitchProps) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span class="sl">
        <b>{label}</b>
        {hint && <span class="hint">{hint}</span>}
      </span>
    </label>
  )
}

function Hint({
  id,
  hint,
  fault,
}: {
  id: string
  hint?: ComponentChildren
  fault?: string | undefined
}) {
  if (fault) {
    return (
      <span id={`${id}-hint`} class="hint bad" role="alert">
        {fault}
      </span>
    )
  }
  return hint ? (
    <span id={`${id}-hint`} class="hint">
      {hint}
    </span>
  ) : null
}

import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = {
  label: ComponentChildren
  hint?: ComponentChildren
  fault?: string | undefined
  /** The part of a form that it is, by which a link to a fault finds it. */
  part?: string
}

type Attributes = { id: string; 'aria-invalid'?: 'true'; 'aria-describedby'?: string }

function Field(props: FieldProps & { children(attributes: Attributes): ComponentChildren }) {
  const { label, hint, fault } = props
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div class="field" data-field={props.part}>
      <label for={id}>{label}</label>
      {props.children({
        id,
        ...(fault && { 'aria-invalid': 'true' }),
        ...((hint || fault) && { 'aria-describedby': hintId }),
      })}
      {fault && (
        <span id={hintId} class="hint bad" role="alert">
          {fault}
        </span>
      )}
      {!fault && hint && (
        <span id={hintId} class="hint">
          {hint}
        </span>
      )}
    </div>
  )
}

type InputProps = FieldProps & {
  value: string
  onChange(value: string): void
  type?: 'text' | 'url'
  class?: string
  placeholder?: string
  maxLength?: number
  /** Has the focus when it comes into view. */
  isFirst?: boolean
}

export function TextField(props: InputProps) {
  return (
    <Field {...props}>
      {(attributes) => (
        <input
          {...attributes}
          ref={props.isFirst ? focusOnce : null}
          class={props.class ? `in ${props.class}` : 'in'}
          type={(props.type ?? 'text') as 'text'}
          value={props.value}
          placeholder={props.placeholder ?? ''}
          autocomplete="off"
          maxLength={props.maxLength ?? 2048}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export function focusOnce(control: HTMLElement | null): void {
  if (!control || control.dataset.met) return
  control.dataset.met = 'true'
  control.focus()
}

/** Several lines of text that a program reads. */
export function TextAreaField(props: InputProps & { rows: number }) {
  return (
    <Field {...props}>
      {(attributes) => (
        <textarea
          {...attributes}
          class="in mono"
          rows={props.rows}
          spellcheck={false}
          placeholder={props.placeholder ?? ''}
          {...(props.maxLength && { maxLength: props.maxLength })}
          value={props.value}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

export function SelectField(props: FieldProps & SelectProps) {
  const { value, options, onChange } = props
  return (
    <Field {...props}>
      {(attributes) => <Select {...attributes} class="in" {...{ value, options, onChange }} />}
    </Field>
  )
}

type SelectProps = Partial<Attributes> & {
  class?: string
  'aria-label'?: string
  disabled?: boolean
  value: string
  options: readonly { value: string; text: string }[]
  onChange(value: string): void
}

export function Select({ options, onChange, ...rest }: SelectProps) {
  return (
    <select {...rest} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

export function FilterSelect(props: {
  label: string
  isOn: boolean
  value: string | null
  values: readonly string[]
  onChange(value: string): void
}) {
  const id = useId()
  return (
    <label class={props.isOn ? 'filter on' : 'filter'} for={id}>
      {props.label}
      <Select
        id={id}
        value={props.value ?? ''}
        options={[{ value: '', text: 'any' }, ...optionsOf(props.values)]}
        onChange={props.onChange}
      />
    </label>
  )
}

export function optionsOf(values: readonly string[]): { value: string; text: string }[] {
  return values.map((value) => ({ value, text: value }))
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

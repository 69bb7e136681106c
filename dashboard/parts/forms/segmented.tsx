export function Segmented<T extends string>(props: {
  label: string
  value: T
  options: readonly { value: T; text: string; tally?: number }[]
  onChange(value: T): void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend along.
    <div class="seg" role="group" aria-label={props.label}>
      {props.options.map(({ value, text, tally }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value)}
        >
          {text}
          {tally !== undefined && <span class="faint">{tally}</span>}
        </button>
      ))}
    </div>
  )
}

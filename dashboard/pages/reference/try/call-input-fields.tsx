import { TextAreaField, TextField } from '../../../parts/forms/field.tsx'
import type { ReferenceCall } from '../document/reference-doc.ts'
import { askedParameters, type CallInputs, isNodeCall } from './call-request.ts'
import { type NodeChoice, NodeInputs } from './node-inputs.tsx'

type Props = {
  call: ReferenceCall
  inputs: CallInputs
  onChange(inputs: CallInputs): void
  choice: NodeChoice | null
  choose(choice: NodeChoice): void
}

/** The body's field grows with its text up to so many lines. */
const LINES_MAX = 18

export function CallInputFields({ call, inputs, onChange, choice, choose }: Props) {
  const set = (name: string, value: string) =>
    onChange({ ...inputs, values: { ...inputs.values, [name]: value } })
  const isNode = isNodeCall(call)
  const asked = isNode ? [] : askedParameters(call)
  const onChoose = (next: NodeChoice) => {
    choose(next)
    set('network', next.slug)
  }
  return (
    <>
      {(isNode || asked.length > 0) && (
        <div class="grid g2 inputs">
          {isNode && <NodeInputs chosen={choice} onChoose={onChoose} />}
          {asked.map(({ name, required, example = '' }) => (
            <TextField
              key={name}
              label={name}
              class="mono"
              placeholder={required ? '' : example}
              value={inputs.values[name] ?? ''}
              onChange={(value) => set(name, value)}
            />
          ))}
        </div>
      )}
      {call.doc.requestBody && (
        <TextAreaField
          label="Body"
          rows={Math.min(LINES_MAX, Math.max(3, inputs.body.split('\n').length))}
          value={inputs.body}
          onChange={(body) => onChange({ ...inputs, body })}
        />
      )}
    </>
  )
}

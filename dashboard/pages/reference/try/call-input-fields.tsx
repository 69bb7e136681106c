import { useId } from 'preact/hooks'
import { TextField } from '../../../parts/forms/field.tsx'
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
        <BodyField text={inputs.body} onChange={(body) => onChange({ ...inputs, body })} />
      )}
    </>
  )
}

const LINES_MAX = 18

function BodyField({ text, onChange }: { text: string; onChange(text: string): void }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>Body</label>
      <textarea
        id={id}
        class="in mono"
        rows={Math.min(LINES_MAX, Math.max(3, text.split('\n').length))}
        spellcheck={false}
        value={text}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}

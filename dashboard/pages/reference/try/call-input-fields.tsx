import { useEffect } from 'preact/hooks'
import { useCall } from '../../../api/use-call.ts'
import { optionsOf, SelectField, TextAreaField, TextField } from '../../../parts/forms/field.tsx'
import type { ReferenceCall } from '../document/reference-doc.ts'
import { askedParameters, type CallInputs, isNodeCall } from './call-request.ts'

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

export type NodeChoice = { appId: string; key: string; slug: string }

function NodeInputs(props: { chosen: NodeChoice | null; onChoose(choice: NodeChoice): void }) {
  const { chosen, onChoose } = props
  const apps = useCall('listApps').data?.data ?? []
  const networks = useCall('listNetworks').data?.data ?? []
  const app = apps.find(({ id }) => id === chosen?.appId) ?? apps.find(({ is_active }) => is_active)
  const served = networks.filter(({ id }) => app?.networks.includes(id))
  const slug = served.find((one) => one.slug === chosen?.slug)?.slug ?? served[0]?.slug
  useEffect(() => {
    const isChosen = app && slug && app.id === chosen?.appId && slug === chosen.slug
    if (app && slug && !isChosen) onChoose({ appId: app.id, key: app.key, slug })
  }, [app, slug, chosen, onChoose])
  if (!app || !slug) {
    return <p class="hint">A call of a node takes an app with a network. There is none yet.</p>
  }
  const choose = (id: string) => {
    const next = apps.find((one) => one.id === id)
    if (next) onChoose({ appId: next.id, key: next.key, slug })
  }
  return (
    <>
      <SelectField
        label="App"
        hint="Its key is sent, and pays for the call"
        value={app.id}
        options={apps.map(({ id, name }) => ({ value: id, text: name }))}
        onChange={choose}
      />
      <SelectField
        label="network"
        value={slug}
        options={optionsOf(served.map((one) => one.slug))}
        onChange={(value) => onChoose({ appId: app.id, key: app.key, slug: value })}
      />
    </>
  )
}

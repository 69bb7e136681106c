import { useEffect } from 'preact/hooks'
import { useCall } from '../../../api/use-call.ts'
import { optionsOf, SelectField } from '../../../parts/forms/field.tsx'

export type NodeChoice = { appId: string; key: string; slug: string }

type Props = { chosen: NodeChoice | null; onChoose(choice: NodeChoice): void }

export function NodeInputs({ chosen, onChoose }: Props) {
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

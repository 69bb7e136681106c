import type { App } from '@headgate/client'
import { useCall } from '../../../api/use-call.ts'
import { Card } from '../../../parts/card.tsx'
import { NetworkName, Tag } from '../../../parts/state.tsx'
import { switchNetwork } from '../app-changes.ts'

export function AppNetworks({ app }: { app: App }) {
  const { data } = useCall('listNetworks')
  // Until all are known, those that are open stand where they will.
  const networks = data?.data ?? app.networks.map((id) => ({ id, kind: '' }))
  return (
    <Card
      title="Networks"
      isLined
      foot="Changes act within a second. The key stays the same."
      footIcon="info"
    >
      <ul class="lines">
        {networks.map(({ id, kind }) => (
          <li key={id}>
            <NetworkSwitch app={app} network={id} />
            {kind && <Tag>{kind}</Tag>}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** An app without a network could do nothing, so the last one stays open. */
function NetworkSwitch({ app, network }: { app: App; network: string }) {
  const isOpen = app.networks.includes(network)
  const isLast = isOpen && app.networks.length === 1
  return (
    <label
      class="switch grow"
      title={isLast ? 'An app has one network at least. Delete the app instead.' : undefined}
    >
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOpen}
        checked={isOpen}
        disabled={isLast}
        onChange={() => void switchNetwork(app, network)}
      />
      <NetworkName id={network} />
    </label>
  )
}

import type { App } from '@headgate/client'
import { useSession } from '../../../api/session.ts'
import { useCall } from '../../../api/use-call.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/card.tsx'
import { Segmented } from '../../../parts/forms/segmented.tsx'
import { NetworkName } from '../../../parts/state.tsx'
import { copyText } from '../../../parts/text/copy-button.tsx'
import { plural } from '../../../parts/text/format.ts'
import { lastFour, SecretRow } from '../../../parts/text/secret-row.tsx'
import { changeQuery, usePlace } from '../../../shell/routing/router.ts'
import { type AddressForm, addressParts } from './addresses.ts'

const FORMS: readonly { value: AddressForm; text: string }[] = [
  { value: 'path', text: 'By path' },
  { value: 'host', text: 'By host' },
]

export function KeyCard({ app }: { app: App }) {
  const { query } = usePlace()
  const form: AddressForm = query.get('form') === 'host' ? 'host' : 'path'
  return (
    <Card
      title="Key"
      about={<>opens {plural(app.networks.length, 'network')}</>}
      acts={
        <Segmented
          label="Form of the addresses"
          value={form}
          options={FORMS}
          onChange={(value) => changeQuery({ form: value === 'path' ? null : value })}
        />
      }
    >
      <div class="cb col">
        <SecretRow secret={app.key} what={`the key of ${app.name}`} copyLabel="Copy key" />
      </div>
      <div class="lines-top">
        {app.networks.map((id) => (
          <Endpoint key={id} app={app} network={id} form={form} />
        ))}
      </div>
      <div class="cf tiny">
        <span>
          The key may come as a header too, and the address then ends in{' '}
          <span class="mono">/v2</span>: <span class="mono">Authorization: Bearer …</span>
        </span>
      </div>
    </Card>
  )
}

type EndpointProps = { app: App; network: string; form: AddressForm }

function Endpoint({ app, network, form }: EndpointProps) {
  const publicUrl = useSession()?.public_url ?? ''
  const slug = useCall('listNetworks').data?.data.find(({ id }) => id === network)?.slug
  const parts = addressParts({ publicUrl, url: app.urls[network], slug, key: app.key }, form)
  if ('reason' in parts) {
    return (
      <div class="endpoint">
        <NetworkName id={network} />
        <span class="hint">{parts.reason}</span>
      </div>
    )
  }
  const { before, slug: name, middle } = parts
  return (
    <div class="endpoint">
      <NetworkName id={network} />
      <code class="clip">
        {before}
        <b>{name}</b>
        {middle}
        <span class="faint">{lastFour(app.key)}</span>
      </code>
      <span class="row g0">
        <Button
          class="ghost sm"
          icon="copy"
          onClick={() =>
            void copyText(`${before}${name}${middle}${app.key}`, `the ${network} address`)
          }
        >
          Copy URL<span class="vh"> of {network}</span>
        </Button>
      </span>
    </div>
  )
}

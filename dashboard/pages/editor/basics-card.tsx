import { useCall } from '../../api/use-call.ts'
import { optionsOf, SelectField, TextField } from '../../parts/forms/field.tsx'
import { NetworkName } from '../../parts/state.tsx'
import type { EditorModel } from './use-editor.ts'

export function BasicsCard({ model }: { model: EditorModel }) {
  const { draft, change, faults, webhook } = model
  const networks = useCall('listNetworks').data?.data ?? []
  const possible = networks.filter(({ kind }) => kind === 'evm')
  return (
    <section class="card">
      <div class="cb pad grid g2 tight">
        <TextField
          part="name"
          label="Name"
          maxLength={100}
          placeholder="USDC to treasury"
          fault={faults.name}
          value={draft.name}
          onChange={(name) => change({ name })}
        />
        {webhook ? (
          <div class="field">
            <span class="label">Network</span>
            <span class="fixed">
              <NetworkName id={webhook.network} />
            </span>
          </div>
        ) : (
          <SelectField
            part="network"
            label="Network"
            fault={faults.network}
            value={draft.network}
            options={optionsOf(possible.map(({ id }) => id))}
            onChange={(network) => change({ network, appId: null })}
          />
        )}
      </div>
    </section>
  )
}

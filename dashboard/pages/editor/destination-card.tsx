import { useSession } from '../../api/session.ts'
import { useCall } from '../../api/use-call.ts'
import { Card } from '../../parts/card.tsx'
import { SelectField, Switch, TextField } from '../../parts/forms/field.tsx'
import { SendTest } from './send-test.tsx'
import type { EditorModel } from './use-editor.ts'

export function DestinationCard({ model, block }: { model: EditorModel; block: string }) {
  const { draft, change, faults } = model
  return (
    <Card title="Destination" isLined>
      <div class="cb pad opts">
        <TextField
          part="url"
          label="URL"
          class="mono"
          type="url"
          placeholder="https://"
          fault={faults.url}
          hint="Redirects aren’t followed; addresses of private networks may be refused."
          value={draft.url}
          onChange={(url) => change({ url })}
        />
        <InboxOffer url={draft.url} onTake={(url) => change({ url })} />
        <SendTest model={model} block={block} />
        <AppField model={model} />
      </div>
      <DeliverySwitches model={model} />
    </Card>
  )
}

/** The app can be chosen once: its deliveries stay where they are accounted. */
function AppField({ model }: { model: EditorModel }) {
  const { draft, change, faults, webhook } = model
  const apps = useCall('listApps').data?.data ?? []
  const possible = apps.filter(({ networks }) => networks.includes(draft.network))
  if (webhook) {
    const name = apps.find(({ id }) => id === webhook.app_id)?.name
    return <p class="hint">Deliveries are accounted to {name ?? 'no app'}.</p>
  }
  return (
    <SelectField
      part="app"
      label="Account deliveries to"
      fault={faults.app}
      value={draft.appId ?? ''}
      options={[
        { value: '', text: 'No app' },
        ...possible.map(({ id, name }) => ({ value: id, text: name })),
      ]}
      onChange={(id) => change({ appId: id || null })}
    />
  )
}

/** Local development has receivers of its own. */
function InboxOffer({ url, onTake }: { url: string; onTake(url: string): void }) {
  const isLocal = useSession()?.local_development
  const inboxes = useCall('listInboxes', isLocal ? {} : null).data?.data ?? []
  if (!isLocal) return null
  const known = inboxes.map((inbox) => inbox.url)
  const offered = (known.length > 0 ? known : [`${location.origin}/inbox/demo`]).slice(0, 3)
  return (
    <div class="row wrap">
      <span class="hint">Local development receives here:</span>
      {offered.map((each) => (
        <button
          key={each}
          class="chip"
          type="button"
          aria-pressed={each === url}
          onClick={() => onTake(each)}
        >
          {new URL(each).pathname}
        </button>
      ))}
    </div>
  )
}

function DeliverySwitches({ model }: { model: EditorModel }) {
  const { draft, change, checked } = model
  const isNeverEmpty = checked.check?.can_be_empty === false
  return (
    <div class="lines-top cb pad opts">
      <Switch
        label="Skip empty blocks"
        hint={
          <>
            {isNeverEmpty
              ? 'This query asks for no list, so it is never empty. '
              : 'Deliver only when something matched. '}
            <span class="ic">skip_empty_messages</span>
          </>
        }
        isOn={draft.skipEmpty}
        onChange={(skipEmpty) => change({ skipEmpty })}
      />
      <Switch
        label="Tell me when a reorganisation removes a match"
        hint={
          <>
            Delivers the empty re-run of a height you already got.{' '}
            <span class="ic">notify_removed</span>
          </>
        }
        isOn={draft.notifyRemoved}
        onChange={(notifyRemoved) => change({ notifyRemoved })}
      />
      <Switch
        label="Strict order"
        hint={
          <>
            Each delivery waits for the retries of the one before. One bad day of yours holds up
            all. <span class="ic">ordered</span>
          </>
        }
        isOn={draft.ordered}
        onChange={(ordered) => change({ ordered })}
      />
    </div>
  )
}

import { useCall } from '../../api/use-call.ts'
import type { WireWebhook } from '../../api/wire.ts'
import { Icon } from '../../parts/icon.tsx'
import { NetworkName } from '../../parts/state.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { Moment } from '../../parts/text/time-ago.tsx'

/** The query as it runs, with its options. */
export function QueryTab({ webhook }: { webhook: WireWebhook }) {
  const apps = useCall('listApps', webhook.app_id === null ? null : {}).data?.data
  const app = apps?.find(({ id }) => id === webhook.app_id)
  const { query, skip_empty_messages } = webhook.graphql_query
  return (
    <div class="grid side">
      <div class="wrapcode">
        <CodeBlock isProgram what="the query" snippets={[{ name: 'query', text: query }]} />
      </div>
      <section class="card" aria-label="Options">
        <div class="ch">
          <h2>Options</h2>
          <span class="acts">
            <a class="btn sm" href={`/edit/${webhook.id}`}>
              <Icon name="edit" small />
              Edit
            </a>
          </span>
        </div>
        <div class="cb">
          <dl class="kv">
            <dt>Network</dt>
            <dd>
              <NetworkName id={webhook.network} />
            </dd>
            <dt>Destination</dt>
            <dd class="mono tiny">{webhook.webhook_url}</dd>
            <Option name="skip_empty_messages" isOn={skip_empty_messages ?? false}>
              {['blocks without a match are not delivered', 'every block is delivered']}
            </Option>
            <Option name="ordered" isOn={webhook.ordered}>
              {['one after the other, waiting for retries', 'a retry holds up nothing']}
            </Option>
            <Option name="notify_removed" isOn={webhook.notify_removed}>
              {['a height that a reorganisation emptied is told', 'emptied heights are not told']}
            </Option>
            <dt>App</dt>
            <dd>{app ? <a href={`/apps/${app.id}`}>{app.name}</a> : (webhook.app_id ?? 'none')}</dd>
            <dt>Made</dt>
            <dd>
              <Moment at={webhook.time_created} />
            </dd>
          </dl>
        </div>
      </section>
    </div>
  )
}

function Option(props: { name: string; isOn: boolean; children: readonly [string, string] }) {
  const [on, off] = props.children
  return (
    <>
      <dt>
        <code>{props.name}</code>
      </dt>
      <dd>
        {props.isOn ? 'on' : 'off'}: <span class="quiet">{props.isOn ? on : off}</span>
      </dd>
    </>
  )
}

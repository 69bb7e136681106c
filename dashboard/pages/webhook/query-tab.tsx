import type { Webhook } from '@headgate/client'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact } from '../../parts/fact.tsx'
import { NetworkName } from '../../parts/state.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { Moment } from '../../parts/text/time-ago.tsx'

export function QueryTab({ webhook }: { webhook: Webhook }) {
  const apps = useCall('listApps', webhook.app_id === null ? null : {}).data?.data
  const app = apps?.find(({ id }) => id === webhook.app_id)
  const { query, skip_empty_messages } = webhook.graphql_query
  return (
    <div class="grid side">
      <div class="wrapcode">
        <CodeBlock what="the query" snippets={[{ name: 'query', text: query }]} />
      </div>
      <Card
        title="Options"
        acts={
          <Button class="sm" icon="edit" href={`/edit/${webhook.id}`}>
            Edit
          </Button>
        }
        label="Options"
        body="cb"
      >
        <dl class="kv">
          <Fact name="Network">
            <NetworkName id={webhook.network} />
          </Fact>
          <Fact name="Destination" class="mono tiny">
            {webhook.webhook_url}
          </Fact>
          <Option name="skip_empty_messages" isOn={skip_empty_messages ?? false}>
            {['blocks without a match are not delivered', 'every block is delivered']}
          </Option>
          <Option name="ordered" isOn={webhook.ordered}>
            {['one after the other, waiting for retries', 'a retry holds up nothing']}
          </Option>
          <Option name="notify_removed" isOn={webhook.notify_removed}>
            {['a height that a reorganisation emptied is told', 'emptied heights are not told']}
          </Option>
          <Fact name="App">
            {app ? <a href={`/apps/${app.id}`}>{app.name}</a> : (webhook.app_id ?? 'none')}
          </Fact>
          <Fact name="Made">
            <Moment at={webhook.time_created} />
          </Fact>
        </dl>
      </Card>
    </div>
  )
}

function Option(props: { name: string; isOn: boolean; children: readonly [string, string] }) {
  const [on, off] = props.children
  return (
    <Fact name={<code>{props.name}</code>}>
      {props.isOn ? 'on' : 'off'}: <span class="quiet">{props.isOn ? on : off}</span>
    </Fact>
  )
}

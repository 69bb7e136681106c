import { useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, SkeletonRows } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageFrame } from '../../shell/page-frame.tsx'
import { usePlace } from '../../shell/routing/router.ts'
import { VariablesFromAddress } from '../variables/variables-from-address.tsx'
import { EditorForm } from './editor-form.tsx'
import { draftOf, newDraft } from './webhook-draft.ts'

const WEBHOOKS = { text: 'Webhooks', href: '/webhooks' }

export default function EditorPage({ params }: { params: { id?: string } }) {
  return params.id ? <EditWebhook id={params.id} /> : <NewWebhook />
}

function NewWebhook() {
  const title = 'New webhook'
  const wanted = usePlace().query.get('network')
  return (
    <PageFrame title={title} crumbs={[WEBHOOKS, { text: title }]}>
      <Loaded call={useCall('listNetworks')} wait={<LoadingForm title={title} />}>
        {(networks) => {
          const possible = networks.filter(({ kind }) => kind === 'evm').map(({ id }) => id)
          const network = possible.find((id) => id === wanted) ?? possible[0]
          if (network) return <EditorForm initial={newDraft(network)} webhook={null} />
          return (
            <Empty isCard icon="nodes" title="No network can have webhooks">
              Webhooks run on EVM networks, and none is configured.
            </Empty>
          )
        }}
      </Loaded>
      <VariablesFromAddress />
    </PageFrame>
  )
}

function EditWebhook({ id }: { id: string }) {
  const call = useCall('listWebhooks')
  const webhook = call.data?.data.find((each) => each.id === id)
  const name = webhook?.name || id
  const back = <Button href="/webhooks">All webhooks</Button>
  return (
    <PageFrame
      title={webhook ? `Edit ${name}` : 'Edit a webhook'}
      crumbs={[WEBHOOKS, { text: name, href: `/webhooks/${id}` }, { text: 'Edit' }]}
    >
      <Loaded call={call} wait={<LoadingForm title="Edit a webhook" />}>
        {() =>
          webhook ? (
            <EditorForm key={id} initial={draftOf(webhook)} webhook={webhook} />
          ) : (
            <Empty isCard icon="hook" title="There is no such webhook" acts={back}>
              It may have been deleted, or it belongs to another team.
            </Empty>
          )
        }
      </Loaded>
      <VariablesFromAddress />
    </PageFrame>
  )
}

/** As tall as what comes. */
function LoadingForm({ title }: { title: string }) {
  return (
    <>
      <div class="head">
        <h1>{title}</h1>
      </div>
      <div class="edit" aria-hidden="true">
        <section class="card loading-form">
          <SkeletonRows rows={6} />
        </section>
        <section class="card loading-form" />
      </div>
    </>
  )
}

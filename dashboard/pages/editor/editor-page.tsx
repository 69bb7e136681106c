import { useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, LoadFault, SkeletonRows } from '../../parts/empty.tsx'
import { PageFrame } from '../../shell/page-frame.tsx'
import { usePlace } from '../../shell/routing/router.ts'
import { VariablesFromAddress } from '../variables/variables-from-address.tsx'
import { EditorForm } from './editor-form.tsx'
import { draftOf, newDraft } from './webhook-draft.ts'

/** Writes a new webhook, or changes one. */
export default function EditorPage({ params }: { params: { id?: string } }) {
  return params.id ? <EditWebhook id={params.id} /> : <NewWebhook />
}

function NewWebhook() {
  const { data, error, reload } = useCall('listNetworks')
  const wanted = usePlace().query.get('network')
  const possible = data?.data.filter(({ kind }) => kind === 'evm').map(({ id }) => id)
  const network = possible?.find((id) => id === wanted) ?? possible?.[0]
  return (
    <PageFrame
      title="New webhook"
      crumbs={[{ text: 'Webhooks', href: '/webhooks' }, { text: 'New webhook' }]}
    >
      {error && !data ? <LoadFault error={error} retry={reload} /> : null}
      {!data && !error && <LoadingForm title="New webhook" />}
      {network && <EditorForm initial={newDraft(network)} webhook={null} />}
      {data && !network && (
        <Empty isCard icon="nodes" title="No network can have webhooks">
          Webhooks run on EVM networks, and none is configured.
        </Empty>
      )}
      <VariablesFromAddress />
    </PageFrame>
  )
}

function EditWebhook({ id }: { id: string }) {
  const { data, error, reload } = useCall('listWebhooks')
  const webhook = data?.data.find((each) => each.id === id)
  const title = webhook ? `Edit ${webhook.name || id}` : 'Edit a webhook'
  return (
    <PageFrame
      title={title}
      crumbs={[
        { text: 'Webhooks', href: '/webhooks' },
        { text: webhook?.name || id, href: `/webhooks/${id}` },
        { text: 'Edit' },
      ]}
    >
      {error && !data ? <LoadFault error={error} retry={reload} /> : null}
      {!data && !error && <LoadingForm title="Edit a webhook" />}
      {webhook && <EditorForm key={id} initial={draftOf(webhook)} webhook={webhook} />}
      {data && !webhook && (
        <Empty
          isCard
          icon="hook"
          title="There is no such webhook"
          acts={<Button href="/webhooks">All webhooks</Button>}
        >
          It may have been deleted, or it belongs to another team.
        </Empty>
      )}
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

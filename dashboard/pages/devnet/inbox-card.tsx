import type { Inbox } from '@headgate/client'
import { useState } from 'preact/hooks'
import { callApi } from '../../api/call-api.ts'
import { invalidate } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { changeQuery } from '../../shell/routing/router.ts'
import { attempt, say } from '../../shell/toasts.tsx'
import { ArrivalTable } from './arrival-table.tsx'
import { isInboxName, type ShownInbox } from './use-inbox.ts'

type Props = ShownInbox & { name: string | null; inboxes: readonly Inbox[]; network: string }

export function InboxCard(props: Props) {
  const { inbox, arrivals, name, network, error } = props
  const call = {
    data: arrivals && { data: arrivals },
    error,
    reload: () => invalidate('listInboxArrivals'),
  }
  const webhookTo = (url: string) =>
    `/webhooks/new?url=${encodeURIComponent(url)}&network=${encodeURIComponent(network)}`
  return (
    <Card
      title="Inbox"
      beside={
        <>
          {name !== null && <InboxName key={name} name={name} inboxes={props.inboxes} />}
          <span class="acts">
            {inbox && inbox.arrivals > 0 && (
              <Button class="ghost sm" onClick={() => empty(inbox.name)}>
                Empty
              </Button>
            )}
          </span>
          {inbox && (
            <div class="inboxurl">
              <code class="clip" title={inbox.url}>
                {inbox.url}
              </code>
              <CopyButton text={inbox.url} what="the inbox’s address" />
              <span class="grow" />
              <a class="small nowrap" href={webhookTo(inbox.url)}>
                Create a webhook to it
              </a>
            </div>
          )}
        </>
      }
      isLined
      label="Inbox"
    >
      <Loaded call={call} empty={NOTHING}>
        {(known) => <ArrivalTable {...props} arrivals={known} />}
      </Loaded>
    </Card>
  )
}

const NOTHING = (
  <Empty icon="inbox" title="Nothing has arrived">
    Give a webhook this address, and mine a block. Anything else that posts to it shows here, too.
  </Empty>
)

/** Chooses one of the inboxes, or names another: an inbox is there as soon as it is used. */
function InboxName({ name, inboxes }: { name: string; inboxes: readonly Inbox[] }) {
  const [text, setText] = useState(name)
  const isBad = !isInboxName(text)
  const choose = () => {
    if (!isBad && text !== name) changeQuery({ inbox: text, arrival: null }, { replace: false })
  }
  return (
    <form
      class="inboxname"
      onSubmit={(event) => {
        event.preventDefault()
        choose()
      }}
    >
      <input
        class="in mono"
        aria-label="Name of the inbox"
        aria-invalid={isBad ? 'true' : undefined}
        title={isBad ? '1 to 64 lower-case letters, digits and hyphens' : 'Choose or name an inbox'}
        list="inbox-names"
        autocomplete="off"
        maxLength={64}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={choose}
      />
      <datalist id="inbox-names">
        {inboxes.map((inbox) => (
          <option key={inbox.name} value={inbox.name} />
        ))}
      </datalist>
      {isBad && (
        <span class="hint bad" role="alert">
          <Icon name="warn" small /> 1 to 64 lower-case letters, digits and hyphens
        </span>
      )}
    </form>
  )
}

function empty(name: string): Promise<void> {
  return attempt(async () => {
    await callApi('emptyInbox', { parameters: { name } })
    changeQuery({ arrival: null })
    invalidate('listInboxArrivals', 'listInboxes')
    say(`Emptied the inbox ${name}`)
  })
}

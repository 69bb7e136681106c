import { useSession } from '../../api/session.ts'
import { useCall } from '../../api/use-call.ts'
import { Empty, LoadFault } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { NetworkName, Tag } from '../../parts/state.tsx'
import { PageFrame } from '../../shell/page-frame.tsx'
import { ArrivalCard } from './arrival-card.tsx'
import { ChainCard } from './chain/chain-card.tsx'
import { InboxAnswers } from './inbox-answers.tsx'
import { InboxCard } from './inbox-card.tsx'
import { NodesCard } from './nodes-card.tsx'
import { useInbox, useInboxName } from './use-inbox.ts'

const CRUMBS = [{ text: 'Local development' }, { text: 'Devnet' }]

export default function DevnetPage() {
  const isLocal = useSession()?.local_development
  return (
    <PageFrame title="Devnet" crumbs={CRUMBS}>
      {isLocal ? <Devnet /> : <NoDevnet />}
    </PageFrame>
  )
}

function NoDevnet() {
  return (
    <>
      <div class="head">
        <h1>Devnet</h1>
      </div>
      <Empty isCard isTop icon="flask" title="There is no devnet here">
        This Headgate has a configuration file, so it serves the networks that are named there.
        Started without one, it brings a chain of its own that can be mined and reorganised by hand,
        and inboxes that receive webhooks.
      </Empty>
    </>
  )
}

function Devnet() {
  const chain = useCall('getDevnet')
  const inboxes = useCall('listInboxes')
  const name = useInboxName(inboxes.data?.data)
  const inbox = useInbox(name)
  return (
    <>
      <div class="head">
        <h1>Devnet</h1>
        <Tag tone="ok">
          <Icon name="flask" small />
          Local development
        </Tag>
        {chain.data && (
          <div class="acts">
            <NetworkName id={chain.data.data.network} />
          </div>
        )}
        <p class="sub">
          A real chain in a child process. Break it here, and see what your receiver does.
        </p>
      </div>
      {!chain.data && chain.error !== undefined && (
        <LoadFault error={chain.error} retry={chain.reload} />
      )}
      <ChainCard chain={chain.data?.data} />
      <NodesCard />
      <div class="grid dev">
        <InboxCard
          name={name}
          inboxes={inboxes.data?.data ?? []}
          network={chain.data?.data.network ?? 'ETH_DEVNET'}
          {...inbox}
        />
        <div class="col g16">
          <InboxAnswers inbox={inbox.inbox} />
          <ArrivalCard arrival={inbox.chosen} />
        </div>
      </div>
    </>
  )
}

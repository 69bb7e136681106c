import { ApiError } from '../../api/call-api.ts'
import { useCall } from '../../api/use-call.ts'
import { useRefresh } from '../../api/use-refresh.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, LoadFault, SkeletonRows } from '../../parts/empty.tsx'
import { PageFrame } from '../../shell/page-frame.tsx'
import { AccessCard } from './app/access-card.tsx'
import { AppHead } from './app/app-head.tsx'
import { AppNetworks } from './app/app-networks.tsx'
import { AppSnippets } from './app/app-snippets.tsx'
import { KeyCard } from './app/key-card.tsx'
import { LastDay } from './app/last-day.tsx'
import { MethodTable } from './app/method-table.tsx'

type Props = { params: Readonly<Record<string, string>> }

const REFRESH_MS = 10_000

export default function AppPage({ params: { id = '' } }: Props) {
  const { data, error, reload } = useCall('getApp', { id })
  useRefresh(REFRESH_MS, 'getCallStats', 'getCallSeries')
  const app = data?.data
  const name = app?.name ?? 'App'
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <PageFrame title={name} crumbs={[{ text: 'Apps', href: '/apps' }, { text: name }]}>
      {app && <AppHead app={app} />}
      {app && (
        <div class="grid side">
          <div class="col g16">
            <KeyCard app={app} />
            <AppSnippets app={app} />
            <MethodTable app={app} />
          </div>
          <div class="col g16">
            <LastDay app={app} />
            <AccessCard app={app} />
            <AppNetworks app={app} />
          </div>
        </div>
      )}
      {!app && isGone && <NoSuchApp />}
      {!app && error && !isGone ? <LoadFault error={error} retry={reload} /> : null}
      {!app && !error && <Wait />}
    </PageFrame>
  )
}

function NoSuchApp() {
  return (
    <Empty
      isCard
      isPage
      icon="apps"
      title="There is no such app"
      acts={<Button href="/apps">All apps</Button>}
    >
      It may have been deleted, or belong to another team.
    </Empty>
  )
}

function Wait() {
  return (
    <div class="grid side" role="status" aria-busy="true" aria-label="Loading">
      <div class="card">
        <SkeletonRows rows={5} />
      </div>
      <div class="card">
        <SkeletonRows rows={4} />
      </div>
    </div>
  )
}

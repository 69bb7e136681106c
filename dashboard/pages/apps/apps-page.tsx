import { useMemo } from 'preact/hooks'
import { useCall } from '../../api/use-call.ts'
import { GateArt } from '../../parts/art.tsx'
import { Empty, LoadFault, SkeletonRows } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { PageFrame } from '../../shell/page-frame.tsx'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import { AppTable } from './app-table.tsx'
import { NewAppDialog } from './new-app-dialog.tsx'

/** All apps of the team, and the way to a new one. */
export default function AppsPage() {
  const { query } = usePlace()
  const { data, error, reload } = useCall('listApps')
  const shortcuts = useMemo(() => [{ keys: 'c', does: 'New app', run: openDialog }], [])
  useShortcuts(shortcuts)
  return (
    <PageFrame title="Apps">
      <div class="head">
        <h1>Apps</h1>
        <div class="acts">
          <button class="btn primary" type="button" onClick={openDialog}>
            <Icon name="plus" />
            New app <kbd>C</kbd>
          </button>
        </div>
        <p class="sub">
          An app is a key and the networks it opens. One per service makes usage and a leak easy to
          tell apart.
        </p>
      </div>
      {data && data.data.length > 0 && <AppTable apps={data.data} filter={query.get('q') ?? ''} />}
      {data?.data.length === 0 && <NoApps />}
      {!data &&
        (error ? (
          <LoadFault error={error} retry={reload} />
        ) : (
          <section class="card" role="status" aria-busy="true" aria-label="Loading">
            <SkeletonRows rows={4} />
          </section>
        ))}
      {query.has('create') && <NewAppDialog onClose={() => changeQuery({ create: null })} />}
    </PageFrame>
  )
}

function openDialog(): void {
  changeQuery({ create: '1' })
}

function NoApps() {
  return (
    <section class="card">
      <Empty
        isTop
        art={<GateArt />}
        title="No apps yet"
        acts={
          <button class="btn primary" type="button" onClick={openDialog}>
            <Icon name="plus" />
            New app
          </button>
        }
      >
        An app is a key that opens networks. Create one and call a node with it a second later.
      </Empty>
    </section>
  )
}

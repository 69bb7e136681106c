import { useCall } from '../../api/use-call.ts'
import { GateArt } from '../../parts/art.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { PageFrame } from '../../shell/page-frame.tsx'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import { AppTable } from './app-table.tsx'
import { NewAppDialog } from './new-app-dialog.tsx'

export default function AppsPage() {
  const { query } = usePlace()
  useShortcuts([{ keys: 'c', does: 'New app', run: openDialog }])
  return (
    <PageFrame title="Apps">
      <div class="head">
        <h1>Apps</h1>
        <div class="acts">
          <Button class="primary" icon="plus" onClick={openDialog}>
            New app <kbd>C</kbd>
          </Button>
        </div>
        <p class="sub">
          An app is a key and the networks it opens. One per service makes usage and a leak easy to
          tell apart.
        </p>
      </div>
      <Loaded call={useCall('listApps')} isAlone empty={<NoApps />}>
        {(apps) => <AppTable apps={apps} filter={query.get('q') ?? ''} />}
      </Loaded>
      {query.has('create') && <NewAppDialog onClose={() => changeQuery({ create: null })} />}
    </PageFrame>
  )
}

function openDialog(): void {
  changeQuery({ create: '1' })
}

function NoApps() {
  const act = (
    <Button class="primary" icon="plus" onClick={openDialog}>
      New app
    </Button>
  )
  return (
    <Empty isCard isTop art={<GateArt />} title="No apps yet" acts={act}>
      An app is a key that opens networks. Create one and call a node with it a second later.
    </Empty>
  )
}

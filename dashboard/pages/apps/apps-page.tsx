import { useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { NoApps } from '../../parts/empty.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useShortcuts } from '../../shell/keys/shortcuts.ts'
import { PageFrame } from '../../shell/page-frame.tsx'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'
import { AppTable } from './app-table.tsx'
import { NewAppDialog } from './new-app-dialog.tsx'

export default function AppsPage() {
  const { query } = usePlace()
  const act = (
    <Button class="primary" icon="plus" onClick={openDialog}>
      New app
    </Button>
  )
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
      <Loaded call={useCall('listApps')} isAlone empty={<NoApps isCard isTop acts={act} />}>
        {(apps) => <AppTable apps={apps} filter={query.get('q') ?? ''} />}
      </Loaded>
      {query.has('create') && <NewAppDialog onClose={() => changeQuery({ create: null })} />}
    </PageFrame>
  )
}

function openDialog(): void {
  changeQuery({ create: '1' })
}

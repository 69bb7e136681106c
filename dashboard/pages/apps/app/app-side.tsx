import type { WireApp } from '../../../api/wire.ts'
import { AccessCard } from './access-card.tsx'
import { AppNetworks } from './app-networks.tsx'
import { LastDay } from './last-day.tsx'

/** The column beside an app's key: how it is used, by whom it may be, and where. */
export function AppSide({ app }: { app: WireApp }) {
  return (
    <div class="col g16">
      <LastDay app={app} />
      <AccessCard app={app} />
      <AppNetworks app={app} />
    </div>
  )
}

import type { Settings } from '../../config/config.ts'
import { serial } from '../../core/async/serial.ts'
import type { RpcRouteNeeds } from '../../http/rpc/rpc-route.ts'
import type { NetworkSet } from '../networks/network-set.ts'
import { takeOver } from '../reload.ts'
import type { ToWorker } from '../workers/worker-messages.ts'
import { settingsOfWorker } from '../workers/worker-settings.ts'
import type { MainLink } from './main-link.ts'
import type { MainWatch } from './main-watch.ts'

type Needs = {
  link: MainLink
  networks: NetworkSet
  shared: MainWatch
  settings: Settings
  rpc: RpcRouteNeeds
  /** Paths of the pages that the main process has. */
  pages: Set<string>
}

type NewSettings = Extract<ToWorker, { kind: 'settings' }>

/** Puts settings into force that the main process has reloaded and checked. */
export function takeOverReloads({ link, networks, shared, settings, rpc, pages }: Needs): void {
  const inTurn = serial()

  const apply = async ({ id, settings: given, pages: paths }: NewSettings) => {
    const next = settingsOfWorker(given)
    await networks.reload(next)
    takeOver(settings, next)
    pages.clear()
    for (const path of paths) pages.add(path)
    rpc.guard.replan()
    rpc.directory.forget()
    link.send({ kind: 'reloaded', id })
  }

  link.subscribe((message) => {
    if (message.kind !== 'settings') return
    // An upstream of the new settings may have the name of another; what is seen of it follows.
    shared.forget()
    void inTurn(() => apply(message))
  })
}

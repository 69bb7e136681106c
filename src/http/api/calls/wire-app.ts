import type { App } from '../../../core/app.ts'
import type { Secrets } from '../../../ports/secrets.ts'
import type { StoredApp } from '../../../tables/accounts/apps.ts'
import { openAppKey } from '../../../tables/accounts/new-accounts.ts'
import type { WireApp } from '../../contract/contract.ts'
import { networkPathUrl } from '../../edge/network-path-url.ts'

export type WireAppNeeds = {
  secrets: Secrets
  networks(): readonly { id: string; slug: string }[]
  publicUrl: string
}

/** A stored app with its key, which is opened. */
export function appOf(needs: WireAppNeeds, { app, keySealed }: StoredApp): WireApp {
  return wireApp(needs, app, openAppKey(needs, app.id, keySealed))
}

export function wireApp(needs: WireAppNeeds, app: App, key: string): WireApp {
  const served = needs.networks().filter(({ id }) => app.networks.includes(id))
  return {
    id: app.id,
    name: app.name,
    description: app.description,
    networks: app.networks,
    is_active: app.isActive,
    allow: app.allow,
    key,
    urls: Object.fromEntries(served.map(({ id, slug }) => [id, networkPathUrl(needs, slug, key)])),
    time_created: app.createdAtMs,
  }
}

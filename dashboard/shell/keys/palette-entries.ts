import { useSession } from '../../api/session.ts'
import { useCall } from '../../api/use-call.ts'
import type { IconName } from '../../parts/icon.tsx'
import { copyText } from '../../parts/text/copy-button.tsx'
import { DEVNET_PLACE, MAIN_PLACES, OTHER_PLACES } from '../routing/places.ts'
import { navigate } from '../routing/router.ts'

export type PaletteEntry = {
  id: string
  text: string
  hint: string
  icon: IconName
  href?: string
  run(): void
}

const SHOWN_MAX = 6

/** Everything that a text may mean, the likeliest first. */
export function usePaletteEntries(text: string) {
  const apps = useCall('listApps').data?.data ?? []
  const webhooks = useCall('listWebhooks').data?.data ?? []
  const isLocal = useSession()?.local_development
  const wanted = text.trim().toLowerCase()
  const matches = (entry: PaletteEntry) => entry.text.toLowerCase().includes(wanted)
  const places = [...MAIN_PLACES, ...(isLocal ? [DEVNET_PLACE] : []), ...OTHER_PLACES]
  const found = (name: string, entries: readonly PaletteEntry[], most = SHOWN_MAX) => ({
    name,
    entries: entries.filter(matches).slice(0, most),
  })
  const webhookEntries = webhooks.map(({ id, name, network }) =>
    link(`/webhooks/${id}`, name || id, `Webhook · ${network}`, 'hook'),
  )
  const pageEntries = places.map(({ path, name, icon, key }) =>
    link(path, name, `G then ${key.toUpperCase()}`, icon),
  )
  const groups = [
    { name: 'Found', entries: pasted(text.trim()) },
    found('Webhooks', webhookEntries),
    found('Apps', apps.flatMap(appEntries)),
    found('Actions', ACTIONS),
    found('Pages', pageEntries, pageEntries.length),
  ]
  return groups.filter(({ entries }) => entries.length > 0)
}

const ACTIONS: readonly PaletteEntry[] = [
  link('/webhooks/new', 'New webhook', 'C', 'plus'),
  link('/apps?create=1', 'Create app', '', 'plus'),
  link('/settings/tokens', 'Make a token', '', 'key'),
  link('/settings/jwt-keys', 'Register a JWT key', '', 'key'),
]

/** An id, a hash or a number that was pasted leads to what it names. */
function pasted(text: string): PaletteEntry[] {
  if (/^wh_[a-z0-9]{16}$/.test(text)) return [link(`/webhooks/${text}`, text, 'Webhook', 'hook')]
  if (/^whevt_[a-z0-9]{16}$/.test(text)) {
    return [link(`/webhooks?delivery=${text}`, text, 'Delivery', 'inbox')]
  }
  if (/^app_[a-z0-9]{16}$/.test(text)) return [link(`/apps/${text}`, text, 'App', 'apps')]
  if (/^[0-9]{1,15}$/.test(text)) {
    return [link(`/webhooks?block=${text}`, `Deliveries of block ${text}`, 'Block', 'cube')]
  }
  return []
}

function appEntries({ id, name, key }: { id: string; name: string; key: string }): PaletteEntry[] {
  return [
    link(`/apps/${id}`, name, 'App', 'apps'),
    {
      id: `copy ${id}`,
      text: `Copy the key of ${name}`,
      hint: 'Action',
      icon: 'key',
      run: () => void copyText(key, `the key of ${name}`),
    },
  ]
}

function link(href: string, text: string, hint: string, icon: IconName): PaletteEntry {
  return { id: href, text, hint, icon, href, run: () => navigate(href) }
}

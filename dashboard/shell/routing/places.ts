import type { IconName } from '../../parts/icon.tsx'

/** A page that the rail leads to; `key` follows G. */
export type MainPlace = { path: string; name: string; icon: IconName; key: string }

export const MAIN_PLACES: readonly MainPlace[] = [
  { path: '/', name: 'Overview', icon: 'home', key: 'o' },
  { path: '/apps', name: 'Apps', icon: 'apps', key: 'a' },
  { path: '/webhooks', name: 'Webhooks', icon: 'hook', key: 'w' },
  { path: '/usage', name: 'Usage', icon: 'usage', key: 'u' },
  { path: '/networks', name: 'Networks', icon: 'nodes', key: 'n' },
]

export const DEVNET_PLACE: MainPlace = { path: '/devnet', name: 'Devnet', icon: 'flask', key: 'l' }

export const REFERENCE_PLACE: MainPlace = {
  path: '/docs/reference',
  name: 'API reference',
  icon: 'book',
  key: 'd',
}

export const OTHER_PLACES: readonly MainPlace[] = [
  { path: '/settings', name: 'Settings', icon: 'gear', key: 's' },
  REFERENCE_PLACE,
]

export function isPublic(path: string): boolean {
  return path === REFERENCE_PLACE.path
}

export function isWithin(path: string, place: MainPlace): boolean {
  if (place.path === '/') return path === '/'
  if (place.path === '/webhooks' && path.startsWith('/edit/')) return true
  return `${path}/`.startsWith(`${place.path}/`)
}

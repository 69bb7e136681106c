import type { ComponentType } from 'preact'

export type PageProps = { params: Readonly<Record<string, string>> }

type PageModule = { default: ComponentType<PageProps> }

type Route = { pattern: string; load(): Promise<PageModule> }

const ROUTES: readonly Route[] = [
  { pattern: '/', load: () => import('../../pages/overview/overview-page.tsx') },
  { pattern: '/sign-in', load: () => import('../../pages/sign-in/sign-in-page.tsx') },
  { pattern: '/apps', load: () => import('../../pages/apps/apps-page.tsx') },
  { pattern: '/apps/:id', load: () => import('../../pages/apps/app-page.tsx') },
  { pattern: '/webhooks', load: () => import('../../pages/webhooks/webhooks-page.tsx') },
  { pattern: '/webhooks/new', load: () => import('../../pages/editor/editor-page.tsx') },
  { pattern: '/webhooks/:id', load: () => import('../../pages/webhook/webhook-page.tsx') },
  { pattern: '/edit/:id', load: () => import('../../pages/editor/editor-page.tsx') },
  { pattern: '/usage', load: () => import('../../pages/usage/usage-page.tsx') },
  { pattern: '/networks', load: () => import('../../pages/networks/networks-page.tsx') },
  { pattern: '/devnet', load: () => import('../../pages/devnet/devnet-page.tsx') },
  { pattern: '/settings', load: () => import('../../pages/settings/settings-page.tsx') },
  { pattern: '/settings/:part', load: () => import('../../pages/settings/settings-page.tsx') },
  { pattern: '/docs/reference', load: () => import('../../pages/reference/reference-page.tsx') },
]

export function routeOf(path: string): (Route & PageProps) | null {
  for (const route of ROUTES) {
    const params = match(route.pattern, path)
    if (params) return { ...route, params }
  }
  return null
}

function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? ''
    if (part.startsWith(':') && value) params[part.slice(1)] = decodeURIComponent(value)
    else if (part !== value) return null
  }
  return params
}

import type { ComponentType } from 'preact'
import { useSession } from '../../api/session.ts'
import { Empty } from '../../parts/empty.tsx'
import { PageFrame } from '../../shell/page-frame.tsx'
import { JwtKeySettings } from './access/jwt-key-settings.tsx'
import { SessionSettings } from './access/session-settings.tsx'
import { TokenSettings } from './access/token-settings.tsx'
import { BillingSettings } from './billing/billing-settings.tsx'
import { TeamSettings } from './team-settings.tsx'
import { TeamsSettings } from './teams-settings.tsx'

type Part = { path: string; name: string; page: ComponentType; isOperators?: true }

const PARTS: readonly Part[] = [
  { path: '/settings', name: 'Team', page: TeamSettings },
  { path: '/settings/billing', name: 'Billing', page: BillingSettings },
  { path: '/settings/tokens', name: 'Tokens', page: TokenSettings },
  { path: '/settings/jwt-keys', name: 'JWT keys', page: JwtKeySettings },
  { path: '/settings/sessions', name: 'Sessions', page: SessionSettings },
  { path: '/settings/teams', name: 'Teams', page: TeamsSettings, isOperators: true },
]

export default function SettingsPage({ params }: { params: Readonly<Record<string, string>> }) {
  const isOperator = useSession()?.kind === 'operator'
  const parts = PARTS.filter(({ isOperators }) => !isOperators || isOperator)
  const path = params.part ? `/settings/${params.part}` : '/settings'
  const part = parts.find((one) => one.path === path)
  const Page = part?.page ?? NoSuchPart
  return (
    <PageFrame
      title={part ? `${part.name}, settings` : 'Settings'}
      crumbs={[{ text: 'Settings', href: '/settings' }, { text: part?.name ?? 'No such page' }]}
    >
      <div class="head">
        <h1>Settings</h1>
      </div>
      <nav class="tabs" aria-label="Settings">
        {parts.map((one) => (
          <a key={one.path} href={one.path} aria-current={one === part ? 'page' : undefined}>
            {one.name}
          </a>
        ))}
      </nav>
      <Page />
    </PageFrame>
  )
}

function NoSuchPart() {
  return (
    <Empty isCard isTop icon="find" title="There is no such page">
      The address may be mistyped, or the page is for the operator only.
    </Empty>
  )
}

import type { App } from '@headgate/client'
import { Card } from '../../../parts/card.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Tag } from '../../../parts/state.tsx'
import { plural } from '../../../parts/text/format.ts'
import { AllowList, type ListWords } from './allow-list.tsx'

const LISTS: readonly ListWords[] = [
  {
    name: 'methods',
    label: 'Methods',
    one: 'method',
    many: 'methods',
    icon: 'bolt',
    placeholder: 'eth_call or eth_get*',
    hint: (
      <>
        Others get 403. <span class="ic">eth_*</span> works as a pattern.
      </>
    ),
  },
  {
    name: 'origins',
    label: 'Origins',
    one: 'origin',
    many: 'origins',
    icon: 'globe',
    placeholder: 'https://app.example.com',
    hint: (
      <>
        Browsers send it, servers don’t: with any here, calls of servers get 403 too.{' '}
        <span class="ic">https://*.example.com</span> works.
      </>
    ),
  },
  {
    name: 'ips',
    label: 'IP addresses',
    one: 'address',
    many: 'addresses',
    icon: 'nodes',
    placeholder: '203.0.113.0/24',
    hint: 'Single addresses or ranges.',
  },
  {
    name: 'contracts',
    label: 'Contracts',
    one: 'contract',
    many: 'contracts',
    icon: 'cube',
    placeholder: '0x…',
    hint: (
      <>
        What <span class="ic">eth_call</span>, <span class="ic">eth_getLogs</span> and the like may
        name.
      </>
    ),
  },
]

export function AccessCard({ app }: { app: App }) {
  const limits = LISTS.filter(({ name }) => app.allow[name].length > 0).length
  const acts =
    limits === 0 ? (
      <Tag>anybody who has it</Tag>
    ) : (
      <Tag tone="ok">
        <Icon name="shield" small />
        {plural(limits, 'limit')}
      </Tag>
    )
  const foot = (
    <>
      An empty list allows everything. Changes act within a second. A page that must not hold the
      key can send a token that your server has signed: <a href="/settings/jwt-keys">JWT keys</a>.
    </>
  )
  const title = 'Who may use this key'
  return (
    <Card {...{ title, label: title, acts, foot }} isLined body="cb pad opts" footIcon="info">
      {LISTS.map((words) => (
        <AllowList key={words.name} app={app} words={words} />
      ))}
    </Card>
  )
}

import type { OfferedTier, Team } from '@headgate/client'
import { useSession } from '../../../api/session.ts'
import { useCall } from '../../../api/use-call.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/card.tsx'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { Tag } from '../../../parts/state.tsx'
import { binaryBytes, short, whole } from '../../../parts/text/format.ts'
import { changeTier } from '../change-tier.ts'

const COLUMNS: readonly Column<OfferedTier>[] = [
  { head: 'Tier', cell: ({ name }) => <span class="strong500">{name}</span> },
  {
    head: 'CU a month',
    class: 'num',
    cell: ({ limits }) => (limits.monthly_cu === null ? 'no limit' : short(limits.monthly_cu)),
  },
  {
    head: 'CU a second',
    class: 'num',
    cell: ({ limits }) =>
      limits.cu_per_second === null ? 'no limit' : whole(limits.cu_per_second),
  },
  { head: 'Paid methods', class: 'c-narrow', cell: ({ limits }) => (limits.paid ? 'yes' : 'no') },
  { head: 'Webhooks', class: 'num c-mid', cell: ({ limits }) => whole(limits.webhooks) },
  {
    head: 'Undelivered',
    class: 'num c-mid',
    cell: ({ limits }) => binaryBytes(limits.undelivered_bytes),
  },
]

/** All tiers of this Headgate; the operator moves the team from one to another. */
export function TierTable({ current }: { current: Team | undefined }) {
  const tiers = useCall('listTiers').data?.data
  const isOperator = useSession()?.kind === 'operator'
  const action = ({ name }: OfferedTier) => {
    if (current?.tier === name) return <Tag tone="ok">this team’s</Tag>
    if (!isOperator || !current) return null
    return (
      <Button class="sm" onClick={() => changeTier(current, name)}>
        Move the team here
      </Button>
    )
  }
  const last = { head: 'Action', isHeadHidden: true, cellClass: 'num', cell: action }
  return (
    <Card title="Tiers" about="as this Headgate is configured" isLined>
      <div class={tiers ? 'tw' : 'tw tiers wait'}>
        <DataTable columns={[...COLUMNS, last]} rows={tiers ?? []} keyOf={({ name }) => name} />
      </div>
    </Card>
  )
}

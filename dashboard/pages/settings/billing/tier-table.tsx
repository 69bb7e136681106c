import { useVisitor } from '../../../api/session.ts'
import { useCall } from '../../../api/use-call.ts'
import type { WireTeam, WireTier } from '../../../api/wire.ts'
import { Tag } from '../../../parts/state.tsx'
import { binaryBytes, short, whole } from '../../../parts/text/format.ts'
import { changeTier } from '../teams/change-tier.ts'

/** All tiers of this Headgate; the operator moves the team from one to another. */
export function TierTable({ current }: { current: WireTeam | undefined }) {
  const visitor = useVisitor()
  const tiers = useCall('listTiers').data?.data
  const isOperator = visitor.kind === 'signed-in' && visitor.session.kind === 'operator'
  return (
    <section class="card">
      <div class="ch line">
        <h2>Tiers</h2>
        <span class="quiet small">as this Headgate is configured</span>
      </div>
      <div class={tiers ? 'tw' : 'tw tiers wait'}>
        <table>
          <thead>
            <tr>
              <th scope="col">Tier</th>
              <th scope="col" class="num">
                CU a month
              </th>
              <th scope="col" class="num">
                CU a second
              </th>
              <th scope="col" class="c-narrow">
                Paid methods
              </th>
              <th scope="col" class="num c-mid">
                Webhooks
              </th>
              <th scope="col" class="num c-mid">
                Undelivered
              </th>
              <th scope="col">
                <span class="vh">Action</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tiers?.map((tier) => (
              <TierRow key={tier.name} tier={tier} current={current} isOperator={isOperator} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

type RowProps = { tier: WireTier; current: WireTeam | undefined; isOperator: boolean }

function TierRow({ tier: { name, limits }, current, isOperator }: RowProps) {
  const isCurrent = current?.tier === name
  return (
    <tr>
      <td>
        <span class="row">
          <span class="strong500">{name}</span>
        </span>
      </td>
      <td class="num">{limits.monthly_cu === null ? 'no limit' : short(limits.monthly_cu)}</td>
      <td class="num">
        {limits.cu_per_second === null ? 'no limit' : whole(limits.cu_per_second)}
      </td>
      <td class="c-narrow">{limits.paid ? 'yes' : 'no'}</td>
      <td class="num c-mid">{whole(limits.webhooks)}</td>
      <td class="num c-mid">{binaryBytes(limits.undelivered_bytes)}</td>
      <td class="num">
        {isCurrent && <Tag tone="ok">this team’s</Tag>}
        {isOperator && current && !isCurrent && (
          <button class="btn sm" type="button" onClick={() => void changeTier(current, name)}>
            Move the team here
          </button>
        )}
      </td>
    </tr>
  )
}

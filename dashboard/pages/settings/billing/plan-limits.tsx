import type { Team } from '@headgate/client'
import { useCall } from '../../../api/use-call.ts'
import { Fact } from '../../../parts/fact.tsx'
import { binaryBytes, cu, whole } from '../../../parts/text/format.ts'

export function PlanLimits({ team }: { team: Team }) {
  const webhooks = useCall('listWebhooks').data?.data.length
  const { limits } = team
  if (!limits) {
    return (
      <p class="note bad" role="alert">
        The tier {team.tier} is not configured here any more, so calls are refused until the
        operator gives the team another.
      </p>
    )
  }
  return (
    <dl class="kv">
      <Fact name="Compute units a month">
        {limits.monthly_cu === null ? 'no limit' : whole(limits.monthly_cu)}
      </Fact>
      <Fact name="Compute units a second">
        {limits.cu_per_second === null ? (
          'no limit'
        ) : (
          <>
            {whole(limits.cu_per_second)}{' '}
            <span class="faint">
              and ten seconds of it, {cu(limits.cu_per_second * 10)}, at once
            </span>
          </>
        )}
      </Fact>
      <Fact name="Methods for paid tiers">
        {limits.paid ? 'served' : 'not served: getProgramAccounts and such need a paid tier'}
      </Fact>
      <Fact name="Webhooks">
        {webhooks === undefined ? '' : `${whole(webhooks)} of `}
        {whole(limits.webhooks)}
      </Fact>
      <Fact name="Items of variables">{whole(limits.variable_items)} over all</Fact>
      <Fact name="Undelivered results">
        {binaryBytes(limits.undelivered_bytes)}{' '}
        <span class="faint">beyond it webhooks pause, and nothing that waits is lost</span>
      </Fact>
    </dl>
  )
}

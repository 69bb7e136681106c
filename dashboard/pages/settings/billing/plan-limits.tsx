import { useCall } from '../../../api/use-call.ts'
import type { WireTeam } from '../../../api/wire.ts'
import { binaryBytes, cu, whole } from '../../../parts/text/format.ts'

/** The limits of the tier, beside how much of it is taken where that is known. */
export function PlanLimits({ team }: { team: WireTeam }) {
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
      <dt>Compute units a month</dt>
      <dd>{limits.monthly_cu === null ? 'no limit' : whole(limits.monthly_cu)}</dd>
      <dt>Compute units a second</dt>
      <dd>
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
      </dd>
      <dt>Methods for paid tiers</dt>
      <dd>{limits.paid ? 'served' : 'not served: getProgramAccounts and such need a paid tier'}</dd>
      <dt>Webhooks</dt>
      <dd>
        {webhooks === undefined ? '' : `${whole(webhooks)} of `}
        {whole(limits.webhooks)}
      </dd>
      <dt>Items of variables</dt>
      <dd>{whole(limits.variable_items)} over all</dd>
      <dt>Undelivered results</dt>
      <dd>
        {binaryBytes(limits.undelivered_bytes)}{' '}
        <span class="faint">beyond it webhooks pause, and nothing that waits is lost</span>
      </dd>
    </dl>
  )
}

import { useVisitor } from '../../api/session.ts'
import { useCall } from '../../api/use-call.ts'
import { LoadFault, SkeletonRows } from '../../parts/empty.tsx'
import { Tag } from '../../parts/state.tsx'
import { Hash } from '../../parts/text/hash.tsx'
import { Moment } from '../../parts/text/time-ago.tsx'
import { AtLimit } from './billing/at-limit.tsx'
import { PlanLimits } from './billing/plan-limits.tsx'

/** The team itself, its plan, and what happens at the limit. */
export function TeamSettings() {
  const { data, error, reload } = useCall('getTeam')
  const team = data?.data
  if (!team) {
    return error ? (
      <LoadFault error={error} retry={reload} />
    ) : (
      <section class="card" role="status" aria-busy="true" aria-label="Loading">
        <SkeletonRows rows={5} />
      </section>
    )
  }
  return (
    <div class="grid side">
      <div class="col g16">
        <section class="card">
          <div class="ch line">
            <h2>Team</h2>
          </div>
          <div class="cb pad">
            <dl class="kv">
              <dt>Name</dt>
              <dd>{team.name}</dd>
              <dt>Id</dt>
              <dd>
                <Hash text={team.id} what="the team’s id" ends={{ head: 21, tail: 0 }} />
              </dd>
              <dt>Made</dt>
              <dd>
                <Moment at={team.time_created} />
              </dd>
              <dt>You are</dt>
              <dd>
                <SignedInAs />
              </dd>
            </dl>
          </div>
        </section>
        <section class="card">
          <div class="ch line">
            <h2>Plan</h2>
            <span class="acts">
              <Tag>{team.tier}</Tag>
            </span>
          </div>
          <div class="cb pad">
            <PlanLimits team={team} />
          </div>
          <div class="cf">
            <span>
              The operator of this Headgate changes the tier.{' '}
              <a href="/settings/billing">Billing</a> shows the month and all tiers.
            </span>
          </div>
        </section>
      </div>
      <AtLimit />
    </div>
  )
}

function SignedInAs() {
  const visitor = useVisitor()
  if (visitor.kind !== 'signed-in') return null
  const { kind, token } = visitor.session
  if (kind === 'operator') return <>the operator, who sees all teams</>
  if (!token) return <>signed in by the link of local development</>
  return (
    <>
      signed in with the token <b class="strong500">“{token.name}”</b>
    </>
  )
}

import type { Team } from '@headgate/client'
import { useSession } from '../../api/session.ts'
import { useCall } from '../../api/use-call.ts'
import { Card } from '../../parts/card.tsx'
import { Fact } from '../../parts/fact.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Tag } from '../../parts/state.tsx'
import { Hash } from '../../parts/text/hash.tsx'
import { Moment } from '../../parts/text/time-ago.tsx'
import { AtLimit } from './billing/at-limit.tsx'
import { PlanLimits } from './billing/plan-limits.tsx'

export function TeamSettings() {
  return (
    <Loaded call={useCall('getTeam')} rows={5} isAlone>
      {(team) => <TeamAndPlan team={team} />}
    </Loaded>
  )
}

function TeamAndPlan({ team }: { team: Team }) {
  return (
    <div class="grid side">
      <div class="col g16">
        <Card title="Team" isLined body="cb pad">
          <dl class="kv">
            <Fact name="Name">{team.name}</Fact>
            <Fact name="Id">
              <Hash text={team.id} what="the team’s id" ends={{ head: 21, tail: 0 }} />
            </Fact>
            <Fact name="Made">
              <Moment at={team.time_created} />
            </Fact>
            <Fact name="You are">
              <SignedInAs />
            </Fact>
          </dl>
        </Card>
        <Card
          title="Plan"
          acts={<Tag>{team.tier}</Tag>}
          isLined
          foot={
            <>
              The operator of this Headgate changes the tier.{' '}
              <a href="/settings/billing">Billing</a> shows the month and all tiers.
            </>
          }
          body="cb pad"
        >
          <PlanLimits team={team} />
        </Card>
      </div>
      <AtLimit />
    </div>
  )
}

function SignedInAs() {
  const session = useSession()
  if (session?.kind === 'operator') return <>the operator, who sees all teams</>
  if (!session?.token) return <>signed in by the link of local development</>
  return (
    <>
      signed in with the token <b class="strong500">“{session.token.name}”</b>
    </>
  )
}

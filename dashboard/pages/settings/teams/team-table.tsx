import { lookAtTeam, useVisitor } from '../../../api/session.ts'
import { useCall } from '../../../api/use-call.ts'
import type { WireTeam } from '../../../api/wire.ts'
import { Tag } from '../../../parts/state.tsx'
import { short } from '../../../parts/text/format.ts'
import { Moment } from '../../../parts/text/time-ago.tsx'
import { navigate } from '../../../shell/routing/router.ts'
import { changeTier } from './change-tier.ts'

/** Teams with their tiers, which are changed in their place. */
export function TeamTable({ teams }: { teams: readonly WireTeam[] }) {
  const visitor = useVisitor()
  const current = visitor.kind === 'signed-in' ? visitor.team?.id : undefined
  const tiers = useCall('listTiers').data?.data.map(({ name }) => name) ?? []
  return (
    <table class="rows teamlist">
      <thead>
        <tr>
          <th scope="col">Team</th>
          <th scope="col">Tier</th>
          <th scope="col" class="num c-narrow">
            CU a month
          </th>
          <th scope="col" class="c-mid">
            Autoscaling
          </th>
          <th scope="col" class="c-mid">
            Made
          </th>
          <th scope="col">
            <span class="vh">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {teams.map((team) => (
          <TeamRow key={team.id} team={team} tiers={tiers} isCurrent={team.id === current} />
        ))}
      </tbody>
    </table>
  )
}

type RowProps = { team: WireTeam; tiers: readonly string[]; isCurrent: boolean }

function TeamRow({ team, tiers, isCurrent }: RowProps) {
  const look = () => {
    lookAtTeam(team)
    navigate('/')
  }
  const limit = team.limits?.monthly_cu
  // A tier that was taken out of the configuration is shown until another is chosen.
  const options = tiers.includes(team.tier) ? tiers : [team.tier, ...tiers]
  return (
    <tr>
      <td class="full">
        <span class="whname">
          <span class="row">
            <span class="strong500 clip">{team.name}</span>
            {isCurrent && <Tag tone="ok">in view</Tag>}
          </span>
          <span class="faint tiny mono">{team.id}</span>
        </span>
      </td>
      <td>
        <select
          class="in tier-select"
          aria-label={`Tier of ${team.name}`}
          value={team.tier}
          onChange={(event) => void changeTier(team, event.currentTarget.value)}
        >
          {options.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </td>
      <td class="num c-narrow">{limit == null ? 'no limit' : short(limit)}</td>
      <td class="c-mid">{team.autoscaling ? 'on' : 'off'}</td>
      <td class="c-mid quiet">
        <Moment at={team.time_created} />
      </td>
      <td class="num">
        <button class="btn sm" type="button" onClick={look}>
          View<span class="vh"> {team.name}</span>
        </button>
      </td>
    </tr>
  )
}

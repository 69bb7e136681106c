import { useState } from 'preact/hooks'
import { lookAtTeam, useVisitor } from '../api/session.ts'
import { useCall } from '../api/use-call.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Tag } from '../parts/state.tsx'

export function TeamMenu() {
  const visitor = useVisitor()
  const [isOpen, setOpen] = useState(false)
  if (visitor.kind !== 'signed-in') return null
  const name = visitor.team?.name ?? 'No team yet'
  const isOperator = visitor.session.kind === 'operator'
  const face = (
    <>
      <span class="mark" aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span class="grow clip">{name}</span>
    </>
  )
  if (!isOperator) {
    return (
      <a class="team" href="/settings" title="Settings of the team">
        {face}
      </a>
    )
  }
  return (
    <>
      <button class="team" type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {face}
        <Icon name="ud" small />
      </button>
      {isOpen && <TeamDialog current={visitor.team?.id} onClose={() => setOpen(false)} />}
    </>
  )
}

function TeamDialog({ current, onClose }: { current: string | undefined; onClose(): void }) {
  const { data } = useCall('listTeams')
  const choose = (team: { id: string; name: string }) => {
    lookAtTeam(team)
    onClose()
  }
  return (
    <Dialog title="Look at a team" onClose={onClose}>
      <div class="menu whole">
        {data?.data.map((team) => (
          <button key={team.id} type="button" onClick={() => choose(team)}>
            <span class="grow clip">{team.name}</span>
            <Tag>{team.tier}</Tag>
            {team.id === current && <Icon name="check" />}
          </button>
        ))}
      </div>
      <p class="hint">
        Teams are made and their tiers changed in <a href="/settings/teams">Settings, Teams</a>.
      </p>
    </Dialog>
  )
}

import type { Team } from '@headgate/client'
import { useState } from 'preact/hooks'
import { callApi } from '../../api/call-api.ts'
import { lookAtTeam, useVisitor } from '../../api/session.ts'
import { invalidate, useCall } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { optionsOf, Select, SelectField, TextField } from '../../parts/forms/field.tsx'
import { SearchField } from '../../parts/forms/search-field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Tag } from '../../parts/state.tsx'
import { plural, short } from '../../parts/text/format.ts'
import { Moment } from '../../parts/text/time-ago.tsx'
import { changeQuery, navigate, usePlace } from '../../shell/routing/router.ts'
import { changeTier } from './change-tier.ts'
import { ShownOnce } from './shown-once.tsx'

/** More than this are found by their names. */
const SHOWN_MAX = 200

/** For the operator: all teams, their tiers, and new ones. */
export function TeamsSettings() {
  const filter = usePlace().query.get('q') ?? ''
  const [isMaking, setMaking] = useState(false)
  return (
    <>
      <div class="row filters">
        <SearchField
          label="Filter by name or id"
          value={filter}
          onChange={(value) => changeQuery({ q: value })}
        />
        <span class="grow" />
        <Button class="primary" icon="plus" onClick={() => setMaking(true)}>
          New team
        </Button>
      </div>
      <Loaded call={useCall('listTeams')} isAlone>
        {(teams) => <TeamTable teams={teams.filter((team) => isFound(team, filter))} />}
      </Loaded>
      {isMaking && <NewTeamDialog onClose={() => setMaking(false)} />}
    </>
  )
}

function isFound({ name, id }: Team, filter: string): boolean {
  return `${name} ${id}`.toLowerCase().includes(filter.toLowerCase())
}

function TeamTable({ teams }: { teams: readonly Team[] }) {
  const visitor = useVisitor()
  const current = visitor.kind === 'signed-in' ? visitor.team?.id : undefined
  const tiers = useCall('listTiers').data?.data.map(({ name }) => name) ?? []
  const columns: readonly Column<Team>[] = [
    {
      head: 'Team',
      cellClass: 'full',
      cell: ({ id, name }) => (
        <span class="whname">
          <span class="row">
            <span class="strong500 clip">{name}</span>
            {id === current && <Tag tone="ok">in view</Tag>}
          </span>
          <span class="faint tiny mono">{id}</span>
        </span>
      ),
    },
    { head: 'Tier', cell: (team) => <TierChoice team={team} tiers={tiers} /> },
    { head: 'CU a month', class: 'num c-narrow', cell: monthlyText },
    { head: 'Autoscaling', class: 'c-mid', cell: (team) => (team.autoscaling ? 'on' : 'off') },
    {
      head: 'Made',
      class: 'c-mid',
      cellClass: 'quiet',
      cell: ({ time_created }) => <Moment at={time_created} />,
    },
    { head: 'Action', isHeadHidden: true, cellClass: 'num', cell: viewButton },
  ]
  return (
    <>
      <section class="card tw" aria-label="Teams">
        <DataTable
          class="rows teamlist"
          columns={columns}
          rows={teams.slice(0, SHOWN_MAX)}
          keyOf={({ id }) => id}
        />
        {teams.length === 0 && <p class="empty slim quiet">No team is called that.</p>}
      </section>
      {teams.length > SHOWN_MAX && (
        <p class="hint foot-note">
          {plural(teams.length - SHOWN_MAX, 'more team')}: narrow them down by name.
        </p>
      )}
    </>
  )
}

function TierChoice({ team, tiers }: { team: Team; tiers: readonly string[] }) {
  // A tier that was taken out of the configuration is shown until another is chosen.
  const options = tiers.includes(team.tier) ? tiers : [team.tier, ...tiers]
  return (
    <Select
      class="in tier-select"
      aria-label={`Tier of ${team.name}`}
      value={team.tier}
      options={optionsOf(options)}
      onChange={(tier) => void changeTier(team, tier)}
    />
  )
}

function monthlyText({ limits }: Team): string {
  return limits?.monthly_cu == null ? 'no limit' : short(limits.monthly_cu)
}

function viewButton(team: Team) {
  const look = () => {
    lookAtTeam(team)
    navigate('/')
  }
  return (
    <Button class="sm" onClick={look}>
      View<span class="vh"> {team.name}</span>
    </Button>
  )
}

function NewTeamDialog({ onClose }: { onClose(): void }) {
  const tiers = useCall('listTiers').data?.data.map(({ name }) => name) ?? []
  const [name, setName] = useState('')
  const [chosen, setTier] = useState('')
  const [token, setToken] = useState('')
  const tier = chosen || (tiers[0] ?? '')
  const make = async () => {
    const { data } = await callApi('createTeam', { body: { name: name.trim(), tier } })
    invalidate('listTeams')
    setToken(data.token ?? '')
  }
  if (token) {
    return (
      <ShownOnce title={`${name.trim()} is made`} secret={token} onClose={onClose}>
        Hand this token to the team: it signs in here with it, and calls the management API.
      </ShownOnce>
    )
  }
  return (
    <FormDialog title="New team" action="Make team" onSend={make} onClose={onClose}>
      <TextField isFirst label="Name" value={name} maxLength={100} onChange={setName} />
      <SelectField
        label="Tier"
        hint="It can be changed at any time."
        value={tier}
        options={optionsOf(tiers)}
        onChange={setTier}
      />
    </FormDialog>
  )
}

import { useState } from 'preact/hooks'
import { useCall } from '../../../api/use-call.ts'
import { LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { NameFilter } from '../../../parts/forms/name-filter.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { plural } from '../../../parts/text/format.ts'
import { changeQuery, usePlace } from '../../../shell/routing/router.ts'
import { NewTeamDialog } from './new-team-dialog.tsx'
import { TeamTable } from './team-table.tsx'

/** More than this are found by their names. */
const SHOWN_MAX = 200

/** For the operator: all teams, their tiers, and new ones. */
export function TeamsSettings() {
  const { query } = usePlace()
  const { data, error, reload } = useCall('listTeams')
  const [isMaking, setMaking] = useState(false)
  const filter = query.get('q') ?? ''
  const found = data?.data.filter(({ name, id }) =>
    `${name} ${id}`.toLowerCase().includes(filter.toLowerCase()),
  )
  return (
    <>
      <div class="row filters">
        <NameFilter
          label="Filter by name or id"
          value={filter}
          onChange={(value) => changeQuery({ q: value })}
        />
        <span class="grow" />
        <button class="btn primary" type="button" onClick={() => setMaking(true)}>
          <Icon name="plus" />
          New team
        </button>
      </div>
      <section class="card tw" aria-label="Teams">
        {found ? (
          <TeamTable teams={found.slice(0, SHOWN_MAX)} />
        ) : error ? (
          <LoadFault error={error} retry={reload} />
        ) : (
          <SkeletonRows rows={4} />
        )}
        {found?.length === 0 && <p class="empty slim quiet">No team is called that.</p>}
      </section>
      {found && found.length > SHOWN_MAX && (
        <p class="hint foot-note">
          {plural(found.length - SHOWN_MAX, 'more team')}: narrow them down by name.
        </p>
      )}
      {isMaking && <NewTeamDialog onClose={() => setMaking(false)} />}
    </>
  )
}

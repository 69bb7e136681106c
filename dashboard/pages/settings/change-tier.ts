import type { Team } from '@headgate/client'
import { callApi } from '../../api/call-api.ts'
import { invalidate, patchAnswers } from '../../api/use-call.ts'
import { changeAtOnce } from '../../shell/change-at-once.ts'

/** The operator gives a team another tier; it can be taken back. */
export function changeTier(team: Team, tier: string): Promise<void> {
  return changeAtOnce({
    from: team.tier,
    to: tier,
    show: (value) => showTier(team.id, value),
    send: async (value) => {
      await callApi('changeTeam', { parameters: { 'X-Team-Id': team.id }, body: { tier: value } })
      invalidate('listTeams', 'getTeam', 'getUsageSummary')
    },
    said: `${team.name} is on ${tier}`,
  })
}

function showTier(id: string, tier: string): void {
  patchAnswers('listTeams', ({ data }) => ({
    data: data.map((team) => (team.id === id ? { ...team, tier } : team)),
  }))
  patchAnswers('getTeam', (answer) =>
    answer.data.id === id ? { data: { ...answer.data, tier } } : answer,
  )
}

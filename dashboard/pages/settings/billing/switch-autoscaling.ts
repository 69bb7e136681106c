import { callApi } from '../../../api/call-api.ts'
import { invalidate, patchAnswers } from '../../../api/use-call.ts'
import { changeAtOnce } from '../../../shell/change-at-once.ts'

/** Goes on past the month's capacity, or stops there; it can be taken back. */
export function switchAutoscaling(to: boolean): Promise<void> {
  return changeAtOnce({
    from: !to,
    to,
    show: showAutoscaling,
    send: async (autoscaling) => {
      await callApi('changeTeam', { body: { autoscaling } })
      invalidate('getTeam', 'getUsageSummary')
    },
    said: to ? 'Autoscaling is on. Calls go on past the limit.' : 'Autoscaling is off',
  })
}

function showAutoscaling(autoscaling: boolean): void {
  patchAnswers('getTeam', ({ data }) => ({ data: { ...data, autoscaling } }))
  patchAnswers('getUsageSummary', ({ data }) => ({ data: { ...data, autoscaling } }))
}

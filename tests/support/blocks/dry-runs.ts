import type { Answer, TestHeadgate } from '../product/headgate.ts'

/** Fewer than a team may make in ten seconds. */
const DRY_RUNS_PER_TEAM = 40

/** Calls of `POST /api/test-query`, by a new team whenever one has made enough of them. */
export function dryRunsOf(headgate: TestHeadgate) {
  let runs = 0
  let token = ''
  return {
    async testQuery(body: unknown): Promise<Answer> {
      if (runs++ % DRY_RUNS_PER_TEAM === 0) {
        const team = { name: 'Tester', tier: 'free' }
        const made = await headgate.api('POST', '/api/teams', team, headgate.operatorToken)
        token = made.json.data.token
      }
      return headgate.api('POST', '/api/test-query', body, token)
    },
    /** The token of the team that made the last call. */
    token: () => token,
  }
}

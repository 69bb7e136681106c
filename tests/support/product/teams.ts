import type { TestHeadgate } from './headgate.ts'

export type TestTeam = {
  id: string
  token: string
  tokenId: string
  appId: string
  /** The key of its first app, which has every network. */
  key: string
}

/** A team made by the operator, with one app on every network. */
export async function newTeam(headgate: TestHeadgate, tier: string): Promise<TestTeam> {
  const { operatorToken, api } = headgate
  const made = await api('POST', '/api/teams', { name: `On ${tier}`, tier }, operatorToken)
  if (made.status !== 200) throw new Error(made.text)
  const { id, token, token_id: tokenId } = made.json.data
  const app = await newApp(headgate, token)
  return { id, token, tokenId, appId: app.id, key: app.key }
}

/** One more app of a team, on every network or on those given. */
export async function newApp(headgate: TestHeadgate, token: string, networks?: readonly string[]) {
  const all = headgate.running.networks.list().map(({ network }) => network.id)
  const body = { name: 'An app', networks: networks ?? all }
  const made = await headgate.api('POST', '/api/apps', body, token)
  if (made.status !== 200) throw new Error(made.text)
  return made.json.data as { id: string; key: string; urls: Record<string, string> }
}

/** Changes a team's plan in the operator's name. */
export async function changeTeam(headgate: TestHeadgate, teamId: string, change: object) {
  const path = `/api/team?team_id=${teamId}`
  const answer = await headgate.api('PATCH', path, change, headgate.operatorToken)
  if (answer.status !== 200) throw new Error(answer.text)
}

import { Rejection } from '../../../core/errors.ts'
import type { VariableKind } from '../../../core/query/language/query-plan.ts'
import * as variables from '../../../tables/webhooks/variables.ts'
import { webhooksByVariable } from '../../../tables/webhooks/webhook-variables.ts'
import { noSuch } from '../acting-team.ts'
import type { Handler, TeamCaller } from '../calls/handler.ts'
import type { ManagementApi } from '../management-api.ts'
import { KIND_WORDS } from '../queries/asked-query.ts'

type VariableCall = TeamCaller & { parameters: { name: string } }

type Nothing = Record<string, never>

/** Items that all have one kind, in lower case. */
type ReadItems = { kind: VariableKind; items: readonly string[] }

/** `0x`, 40 digits; a value of 32 bytes is the only other form that passes the schema. */
const ADDRESS_LENGTH = 42

export const listVariables: Handler<'listVariables'> = async (api, call) => {
  const { id, tier } = call.team
  const all = await variables.listVariables(api.database, id)
  const users = await webhooksByVariable(api.database, id)
  const data = all.map(({ name, kind, itemCount }) => {
    return { name, kind, items: itemCount, webhook_ids: users.get(name) ?? [] }
  })
  const items = data.reduce((sum, variable) => sum + variable.items, 0)
  return { data, items, items_max: api.tiers.get(tier)?.variableItemsMax ?? 0 }
}

export const listVariableItems: Handler<'listVariableItems'> = async (api, call) => {
  const { name, limit } = call.parameters
  const after = call.parameters.after?.toLowerCase() ?? null
  // One more than asked for tells whether there is another page.
  const found = await variables.listItems(api.database, call.team.id, name, limit + 1, after)
  if (!found) return noSuch(`variable ${call.parameters.name}`)

  const data = found.items.slice(0, limit)
  const last = found.items.length > limit ? data.at(-1) : undefined
  const cursors = last === undefined ? {} : { after: last }
  return { data, pagination: { cursors, total_count: found.totalCount } }
}

export const addVariableItems: Handler<'addVariableItems'> = (api, call) => {
  return add(api, call, 'items', call.body.items)
}

export const changeVariableItems: Handler<'changeVariableItems'> = async (api, call) => {
  const { add: added, delete: deleted } = call.body
  if ((added === undefined) === (deleted === undefined)) {
    return new Rejection('validation', 'add, delete: give one of the two.')
  }

  const variable = await variables.findVariable(api.database, call.team.id, call.parameters.name)
  if (!variable) return noSuch(`variable ${call.parameters.name}`)
  // Should it be deleted right now, then this is the first call of a new one.
  if (added !== undefined) return add(api, call, 'add', added)
  return remove(api, call, deleted ?? [], variable)
}

export const deleteVariable: Handler<'deleteVariable'> = async (api, call) => {
  const deleted = await variables.deleteVariable(api.database, call.team.id, call.parameters.name)
  if (!deleted) return noSuch(`variable ${call.parameters.name}`)

  api.webhooksChanged()
  return {}
}

async function add(
  api: ManagementApi,
  call: VariableCall,
  field: string,
  given: readonly string[],
): Promise<Nothing | Rejection> {
  const read = readItems(field, given)
  if (read instanceof Rejection) return read

  const adding = { teamId: call.team.id, name: call.parameters.name, ...read }
  const ofTeam = api.tiers.get(call.team.tier)?.variableItemsMax ?? 0
  const outcome = await variables.addItems(api.database, adding, { ofTeam })
  if (outcome.kind === 'kind_differs') return kindDiffers(field, outcome.variable)
  if (outcome.kind !== 'added') {
    return new Rejection('validation', refusalText(call, field, outcome, ofTeam))
  }

  api.webhooksChanged()
  return {}
}

async function remove(
  api: ManagementApi,
  call: VariableCall,
  given: readonly string[],
  variable: variables.Variable,
): Promise<Nothing | Rejection> {
  const read = readItems('delete', given)
  if (read instanceof Rejection) return read
  if (read.kind !== variable.kind) return kindDiffers('delete', variable)

  const { name } = variable
  const removed = await variables.removeItems(api.database, call.team.id, name, read.items)
  if (removed === null) return noSuch(`variable ${call.parameters.name}`)

  api.webhooksChanged()
  return {}
}

/** The schema has seen to the form of each one. */
function readItems(field: string, given: readonly string[]): ReadItems | Rejection {
  const kind = kindOf(given[0] ?? '')
  const strange = given.findIndex((item) => kindOf(item) !== kind)
  if (strange === -1) return { kind, items: given.map((item) => item.toLowerCase()) }
  return new Rejection(
    'validation',
    `${field}[${strange}] is of another kind than the items before it: a variable holds ` +
      `${KIND_WORDS.Address} or ${KIND_WORDS.Bytes32}, not both.`,
  )
}

function kindOf(item: string): VariableKind {
  return item.length === ADDRESS_LENGTH ? 'Address' : 'Bytes32'
}

function refusalText(
  call: VariableCall,
  field: string,
  outcome: Exclude<variables.Added, { kind: 'added' | 'kind_differs' }>,
  ofTeam: number,
): string {
  const { team } = call
  if (outcome.kind === 'too_many_variables') {
    return `name: a team may have ${variables.TEAM_VARIABLES_MAX} variables.`
  }
  if (outcome.kind === 'other_kind_in_use') {
    return (
      `${field}: the query of the webhook ${outcome.webhookId} declares ${call.parameters.name} as a ` +
      'variable of the other kind.'
    )
  }
  if (outcome.of === 'ofVariable') {
    return `${field}: ${call.parameters.name} would have more than ${variables.VARIABLE_ITEMS_MAX} items.`
  }
  if (outcome.of === 'ofTeam') {
    return `${field}: all variables of a team on the tier ${team.tier} may have ${ofTeam} items.`
  }
  return (
    `${field}: too many removed items of this team are still kept; delete a variable that ` +
    'lost many, and make it anew.'
  )
}

function kindDiffers(field: string, variable: variables.Variable): Rejection {
  const words = KIND_WORDS[variable.kind]
  return new Rejection('validation', `${field}: the variable ${variable.name} holds ${words}.`)
}

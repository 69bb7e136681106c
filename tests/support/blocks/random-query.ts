import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { querySchema } from '../../../src/core/query/language/query-schema.ts'
import type { Chance } from '../basics/seeded-chance.ts'

export type QueryMaterial = {
  addresses: readonly string[]
  topics: readonly string[]
  /** Names of variables that may stand in filters; they are declared where they are used. */
  addressVariables: readonly string[]
  topicVariables: readonly string[]
}

type Writing = {
  chance: Chance
  material: QueryMaterial
  fieldsLeft: number
  fragments: string[]
  entitiesOnPath: string[]
}

const FIELDS_MAX = 40
const ENTITY_ON_PATH_MAX = 2

/**
 * A query in which aliases, fragments, inline fragments, directives and filters of every form
 * meet. Most are valid; in some, two fields of one name do not agree.
 */
export function randomQuery(chance: Chance, material: QueryMaterial): string {
  const writing: Writing = {
    chance,
    material,
    fieldsLeft: FIELDS_MAX,
    fragments: [],
    entitiesOnPath: ['Block'],
  }
  const block = querySchema().getType('Block') as GraphQLObjectType
  const typeName = () => (chance.fraction() < 0.05 ? '__typename' : '')
  const body = `{ ${typeName()} block ${selectionSet(writing, block)} ${typeName()} }`
  const written = `${body} ${writing.fragments.join(' ')}`
  const used = new Set([...written.matchAll(/\$(\w+)/g)].map(([, name = '']) => name))
  const variables = [...used].map((name) => {
    const kind = material.addressVariables.includes(name) ? 'Address' : 'Bytes32'
    return `$${name}: [${kind}!]${chance.pick(['', '!'])}`
  })
  const head = variables.length > 0 ? `query (${variables.join(', ')}) ` : ''
  return [`${head}${body}`, ...writing.fragments].join('\n')
}

function selectionSet(writing: Writing, type: GraphQLObjectType): string {
  const { chance } = writing
  const selections: string[] = []
  for (let more = chance.between(1, 5); more > 0; more--) selections.push(selection(writing, type))
  return `{ ${selections.join(' ')} }`
}

function selection(writing: Writing, type: GraphQLObjectType): string {
  const { chance } = writing
  const form = writing.fieldsLeft > 0 ? chance.fraction() : 1
  if (form < 0.08) {
    const condition = chance.pick(['', ` on ${type.name}`])
    return `...${condition}${directive(chance)} ${selectionSet(writing, type)}`
  }
  if (form > 0.97 && form < 1) return chance.pick(['__typename', 'kind: __typename'])
  if (form < 0.16) return `...${fragmentName(writing, type)}${directive(chance)}`
  return field(writing, type)
}

/** A new fragment, or one that is there already: the same one may be spread in many places. */
function fragmentName(writing: Writing, type: GraphQLObjectType): string {
  const { chance, fragments } = writing
  // A block's fragments are not spread again further down, where they might nest too deep.
  const reusable = fragments.flatMap((text) => {
    const [, name, on] = /^fragment (\w+) on (\w+)/.exec(text) ?? []
    return name && on === type.name && (on === 'Account' || on === 'Withdrawal') ? [name] : []
  })
  if (reusable.length > 0 && chance.fraction() < 0.5) return chance.pick(reusable)
  const body = selectionSet(writing, type)
  const name = `F${fragments.length}`
  fragments.push(`fragment ${name} on ${type.name} ${body}`)
  return name
}

function field(writing: Writing, type: GraphQLObjectType): string {
  const { chance } = writing
  writing.fieldsLeft -= 1
  const definition = chance.pick(possibleFields(writing, type))
  const inner = getNamedType(definition.type)
  const filtered = definition.args.length > 0
  const alias = aliasFor(writing, filtered)
  const filter = filtered ? listFilter(writing, definition.name) : ''
  const head = `${alias}${definition.name}${filter}${directive(chance)}`
  if (!isObjectType(inner)) return head

  writing.entitiesOnPath.push(inner.name)
  const body = selectionSet(writing, inner)
  writing.entitiesOnPath.pop()
  return `${head} ${body}`
}

/** Filtered lists mostly get a name of their own; a name from the small pool may collide. */
function aliasFor({ chance, fieldsLeft }: Writing, filtered: boolean): string {
  const form = chance.fraction()
  if (filtered && form < 0.7) return `list${fieldsLeft}: `
  return form > 0.92 ? `${chance.pick(['a', 'b', 'c', 'hash', 'index'])}: ` : ''
}

function possibleFields(
  writing: Writing,
  type: GraphQLObjectType,
): GraphQLField<unknown, unknown>[] {
  const fields = Object.values(type.getFields()).filter(({ name }) => name !== 'inputData')
  const scalars = fields.filter((one) => !isObjectType(getNamedType(one.type)))
  const objects = fields.filter((one) => isObjectType(getNamedType(one.type)))
  const fitting = objects.filter((one) => {
    const { name } = getNamedType(one.type)
    return writing.entitiesOnPath.filter((on) => on === name).length < ENTITY_ON_PATH_MAX
  })
  const wanted = writing.fieldsLeft > 0 ? fitting : []
  // Lists are what queries are about, so they come up more often than their share.
  const lists = wanted.filter((one) => isListType(nullable(one.type)))
  return [...scalars, ...wanted, ...lists, ...lists]
}

function nullable(type: GraphQLField<unknown, unknown>['type']) {
  return isNonNullType(type) ? type.ofType : type
}

function directive(chance: Chance): string {
  if (chance.fraction() < 0.92) return ''
  return chance.pick([
    ' @skip(if: true)',
    ' @skip(if: false)',
    ' @include(if: true)',
    ' @include(if: false)',
    ' @include(if: true) @skip(if: true)',
  ])
}

function listFilter(writing: Writing, list: string): string {
  const { chance, material } = writing
  if (chance.fraction() < 0.3) return ''
  if (list === 'logs') {
    const addresses = keys(chance, material.addresses, material.addressVariables)
    return `(filter: { addresses: ${addresses}, topics: ${topics(writing)} })`
  }
  const pair = () => {
    const from = keys(chance, material.addresses, material.addressVariables)
    const to = keys(chance, material.addresses, material.addressVariables)
    return chance.pick([`{ from: ${from} }`, `{ to: ${to} }`, `{ from: ${from}, to: ${to} }`, '{}'])
  }
  const pairs = chance.pick([pair(), `[${pair()}, ${pair()}]`, `[${pair()}]`, '[]', 'null'])
  return chance.pick([`(filter: { addresses: ${pairs} })`, '(filter: null)', '(filter: {})'])
}

function topics(writing: Writing): string {
  const { chance, material } = writing
  const position = () => keys(chance, material.topics, material.topicVariables)
  const positions = Array.from({ length: chance.between(0, 4) }, position)
  return chance.pick([`[${positions.join(', ')}]`, literal(chance, material.topics), 'null'])
}

function keys(chance: Chance, pool: readonly string[], variables: readonly string[]): string {
  const form = chance.fraction()
  if (form < 0.15) return chance.pick(['[]', 'null'])
  if (form < 0.3 && variables.length > 0) return `$${chance.pick(variables)}`
  if (form < 0.55) return literal(chance, pool)
  const many = Array.from({ length: chance.between(1, 3) }, () => literal(chance, pool))
  return `[${many.join(chance.pick([' ', ', ']))}]`
}

/** Upper and lower case mean the same. */
function literal(chance: Chance, pool: readonly string[]): string {
  const text = chance.pick(pool)
  const digits = text.slice(2)
  return JSON.stringify(chance.pick([text, `0x${digits.toUpperCase()}`]))
}

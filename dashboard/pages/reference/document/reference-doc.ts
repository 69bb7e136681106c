import type { AnswerPart, CallDoc, OpenApi, ParameterPart, SchemaDoc } from './open-api.ts'

export type { AnswerPart, CallDoc, ParameterPart, SchemaDoc }

/** A call as the reference shows it; `found` has all words by which it is searched for. */
export type ReferenceCall = { method: string; path: string; doc: CallDoc; found: string }
type ReferenceGroup = {
  name: string
  description: string
  calls: readonly ReferenceCall[]
}
type ReferenceObject = { name: string; schema: SchemaDoc; found: string }

export type FoundReference = {
  groups: readonly ReferenceGroup[]
  objects: readonly ReferenceObject[]
}

export type ReferenceDoc = FoundReference & {
  version: string
  description: string
  url: string
  schemas: OpenApi['components']['schemas']
}

const PREFIX = '#/components/schemas/'

export function referenceDoc(openApi: OpenApi): ReferenceDoc {
  const { schemas } = openApi.components
  const calls = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, doc]): ReferenceCall => {
      return { method: method.toUpperCase(), path, doc, found: wordsOf(method, path, doc, schemas) }
    }),
  )
  return {
    version: openApi.info.version,
    description: openApi.info.description,
    url: openApi.servers[0]?.url ?? location.origin,
    // A further tag of a call says something of it, and lists it nowhere else.
    groups: openApi.tags
      .map(({ name, description }) => ({
        name,
        description,
        calls: calls.filter(({ doc }) => doc.tags[0] === name),
      }))
      .filter((group) => group.calls.length > 0),
    objects: Object.entries(schemas).map(([name, schema]) => ({
      name,
      schema,
      found: [name, ...Object.keys(schema.properties ?? {})].join(' ').toLowerCase(),
    })),
    schemas,
  }
}

/** The name of the object that a schema stands for; null where it is written out. */
export function objectName({ $ref }: SchemaDoc): string | null {
  return $ref?.startsWith(PREFIX) ? $ref.slice(PREFIX.length) : null
}

function wordsOf(
  method: string,
  path: string,
  doc: CallDoc,
  schemas: ReferenceDoc['schemas'],
): string {
  const words = [method, path, doc.operationId, doc.summary]
  for (const { name } of doc.parameters) words.push(name)
  const met = new Set<SchemaDoc>()
  const look = (schema: SchemaDoc | undefined) => {
    if (!schema || met.has(schema)) return
    met.add(schema)
    const name = objectName(schema)
    if (name) words.push(name)
    if (name) look(schemas[name])
    for (const [field, inner] of Object.entries(schema.properties ?? {})) {
      words.push(field)
      look(inner)
    }
    look(schema.items)
    for (const inner of schema.anyOf ?? []) look(inner)
  }
  look(doc.requestBody?.content['application/json']?.schema)
  const answer = doc.responses['200'] ?? doc.responses['201']
  for (const { schema } of Object.values(answer?.content ?? {})) look(schema)
  return words.join(' ').toLowerCase()
}

/** What has all words of a text in it, and what the address names, wherever it is. */
export function findReference(doc: ReferenceDoc, text: string, target: string): FoundReference {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (found: string) => words.every((word) => found.includes(word))
  const groups = doc.groups.map((group) => ({
    ...group,
    calls: group.calls.filter((call) => has(call.found) || call.doc.operationId === target),
  }))
  return {
    groups: groups.filter(({ calls }) => calls.length > 0),
    objects: doc.objects.filter(({ name, found }) => has(found) || `schema-${name}` === target),
  }
}

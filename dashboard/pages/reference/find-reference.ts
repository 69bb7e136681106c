import type { ReferenceDoc, ReferenceGroup, ReferenceObject } from './document/reference-doc.ts'

export type FoundReference = {
  groups: readonly ReferenceGroup[]
  objects: readonly ReferenceObject[]
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

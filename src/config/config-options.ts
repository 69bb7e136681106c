import {
  described,
  type Fields,
  flag,
  integer,
  object,
  type Preset,
  preset,
  type Schema,
  type Static,
} from '../core/schema/schema.ts'

export function whole(minimum: number, maximum: number, description: string): Schema<number> {
  return integer({ description, minimum, maximum })
}

export function wholeOr(
  value: number,
  minimum: number,
  maximum: number,
  description: string,
): Preset<number> {
  return preset(whole(minimum, maximum, description), value)
}

export function flagOr(value: boolean, description: string): Preset<boolean> {
  return preset(flag(description), value)
}

/** Options that belong together; each of them may be left out, and so may all. */
export function options<Members extends Fields>(description: string, members: Members) {
  const schema = described(object({}, members), description)
  // An empty object is completed too, so that it has all presets.
  return preset(schema, {} as Static<typeof schema>)
}

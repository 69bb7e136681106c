import { type JsonSchema, NAME } from './json-schema.ts'

declare const STATIC: unique symbol

/** A JSON Schema, and with it the type of the values that pass: one definition is both. */
export type Schema<T = unknown> = JsonSchema & { readonly [STATIC]?: T }

export type Static<S> = S extends { readonly [STATIC]?: infer T } ? T : never

export type Preset<T> = Schema<T> & { readonly default: T }

export type Fields = Readonly<Record<string, Schema>>

type NoFields = Readonly<Record<never, Schema>>

type Flat<T> = { [Name in keyof T]: T[Name] }

type Presets<Optional> = {
  [Name in keyof Optional]: Optional[Name] extends Preset<unknown> ? Name : never
}[keyof Optional]

/** Optional members that have a preset are there in any case: it is filled in. */
type Members<Required, Optional> = Flat<
  { readonly [Name in keyof Required]: Static<Required[Name]> } & {
    readonly [Name in Presets<Optional>]: Static<Optional[Name]>
  } & { readonly [Name in Exclude<keyof Optional, Presets<Optional>>]?: Static<Optional[Name]> }
>

type Words = string | JsonSchema

export function text(words: Words = {}): Schema<string> {
  return withWords({ type: 'string' }, words)
}

export function integer(words: Words = {}): Schema<number> {
  return withWords({ type: 'integer' }, words)
}

export function count(words: Words = {}): Schema<number> {
  return withWords({ type: 'integer', minimum: 0 }, words)
}

export function number(words: Words = {}): Schema<number> {
  return withWords({ type: 'number' }, words)
}

export function flag(words: Words = {}): Schema<boolean> {
  return withWords({ type: 'boolean' }, words)
}

export function choice<const Text extends string>(
  texts: readonly Text[],
  words: Words = {},
): Schema<Text> {
  return withWords({ type: 'string', enum: texts }, words)
}

export function constant<const Value>(value: Value, words: Words = {}): Schema<Value> {
  return withWords({ const: value }, words)
}

export function list<T>(items: Schema<T>, words: Words = {}): Schema<readonly T[]> {
  return withWords({ type: 'array', items }, words)
}

export function object<Required extends Fields, Optional extends Fields = NoFields>(
  fields: Required,
  optional?: Optional,
): Schema<Members<Required, Optional>> {
  const required = Object.keys(fields)
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: { ...fields, ...optional },
    additionalProperties: false,
  }
}

/** An object that has a name: documents show it once and refer to it. */
export function record<Required extends Fields, Optional extends Fields = NoFields>(
  name: string,
  fields: Required,
  optional?: Optional,
): Schema<Members<Required, Optional>> {
  return { ...object(fields, optional), [NAME]: name }
}

export function mapOf<T>(
  values: Schema<T>,
  words: Words = {},
): Schema<Readonly<Record<string, T>>> {
  return withWords({ type: 'object', additionalProperties: values }, words)
}

export function anyOf<First, Second>(
  first: Schema<First>,
  second: Schema<Second>,
  words: Words = {},
): Schema<First | Second> {
  return withWords({ anyOf: [first, second] }, words)
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { type, enum: texts } = schema
  if (typeof type !== 'string' || schema[NAME]) return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [type, 'null'], ...(texts && { enum: [...texts, null] }) }
}

export function preset<T>(schema: Schema<T>, value: T): Preset<T> {
  return { ...schema, default: value }
}

export function described<T>(schema: Schema<T>, description: string): Schema<T> {
  return { ...schema, description }
}

function withWords<T>(base: JsonSchema, words: Words): Schema<T> {
  return { ...base, ...(typeof words === 'string' ? { description: words } : words) }
}

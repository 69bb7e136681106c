import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { schemaText } from '../cli/schema-text.ts'
import { checkSchema } from '../core/schema/check-schema.ts'
import type { JsonSchema } from '../core/schema/json-schema.ts'
import { loadSettings } from './config.ts'
import { CONFIG_SCHEMA } from './config-schema.ts'

const ROOT = new URL('../../', import.meta.url).pathname

describe('the published schema', () => {
  test('is the one that is checked; bun src/cli/schema-text.ts writes it anew', () => {
    expect(readFileSync(`${ROOT}headgate.schema.json`, 'utf8')).toBe(schemaText())
  })

  test('says the same with and without our own words', () => {
    const published = JSON.parse(schemaText()) as JsonSchema
    for (const value of [{}, { listen: 1 }, { networks: [{}] }, { tiers: { Gold: {} } }]) {
      const places = (schema: JsonSchema) => checkSchema(schema, value).map(({ path }) => path)
      expect(places(published)).toEqual(places(CONFIG_SCHEMA))
    }
  })

  test('has defaults that pass it, and a description for every plain option', () => {
    const visit = (schema: JsonSchema, name: string): void => {
      if (schema.default !== undefined) expect(checkSchema(schema, schema.default)).toEqual([])
      for (const [key, member] of Object.entries(schema.properties ?? {})) {
        if (!member.enum && member.type !== 'object' && key !== 'upstreams') {
          expect(`${name}${key}: ${member.description}`).toMatch(/: \w.*\.$/)
        }
        visit(member, `${name}${key}.`)
      }
      if (schema.items) visit(schema.items, name)
      if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, name)
    }
    visit(CONFIG_SCHEMA, '')
  })
})

test('headgate.example.yaml is a configuration that works', () => {
  const settings = loadSettings({ file: `${ROOT}headgate.example.yaml`, env: {} })
  expect(settings).toMatchObject({
    local: false,
    networks: [{ slug: 'eth-mainnet' }, { slug: 'solana-mainnet' }],
  })
})

test('headgate.example.yaml shows every section', () => {
  const example = readFileSync(`${ROOT}headgate.example.yaml`, 'utf8')
  for (const option of Object.keys(CONFIG_SCHEMA.properties ?? {})) {
    expect(example).toMatch(new RegExp(`^(# )?${option}:`, 'm'))
  }
})

import { describe, expect, test } from 'bun:test'
import { Rejection } from '../../core/errors.ts'
import { jsonAnswer, operation, type Schema } from '../contract/openapi.ts'
import { checkBody, checkParameters } from './check-request.ts'

function listing(schema: Schema) {
  return operation({
    id: 'list',
    tag: 'Test',
    audience: 'any-token',
    summary: 'List',
    description: 'Lists.',
    parameters: [{ name: 'limit', in: 'query', required: false, description: '', schema }],
    answer: jsonAnswer('', {}),
    example: '',
  })
}

const LIMIT: Schema = { type: 'integer', minimum: 1, maximum: 100, default: 20 }

function check(query: string, schema = LIMIT) {
  const params = new URLSearchParams(query)
  return checkParameters(listing(schema), new Map(), params, new Headers())
}

describe('a parameter that is a number', () => {
  test('arrives as one', () => {
    expect(check('limit=7')).toEqual({ limit: 7 })
  })

  test('has its default when absent', () => {
    expect(check('')).toEqual({ limit: 20 })
  })

  test.each(['0', '101', '-1', '1.5', '1e1', '0x10', 'ten', '', ' ', '9'.repeat(400)])(
    'is refused as %j',
    (text) => {
      const answer = check(`limit=${encodeURIComponent(text)}`)
      expect(answer).toBeInstanceOf(Rejection)
      expect((answer as Rejection).message).toContain('limit')
    },
  )

  test('stays text where the document says text', () => {
    expect(check('limit=7', { type: 'string' })).toEqual({ limit: '7' })
  })
})

test('a call without a body in the document takes whatever comes', () => {
  expect(checkBody(listing(LIMIT), undefined)).toBeNull()
  expect(checkBody(listing(LIMIT), { any: 'thing' })).toBeNull()
})

test('at most five faults are told at once', () => {
  const fields = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`field${at}`, at]))
  const strict = operation({
    id: 'create',
    tag: 'Test',
    audience: 'any-token',
    summary: 'Create',
    description: 'Creates.',
    body: { schema: { type: 'object', additionalProperties: false } },
    answer: jsonAnswer('', {}),
    example: '',
  })
  const faults = checkBody(strict, fields)?.message.split('; ')
  expect(faults?.filter((fault) => fault.startsWith('field'))).toHaveLength(5)
})

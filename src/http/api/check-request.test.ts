import { describe, expect, test } from 'bun:test'
import { Rejection } from '../../core/errors.ts'
import { anyOf, count, flag, object, preset, type Schema, text } from '../../core/schema/schema.ts'
import { body, json, query, tokenCall } from '../contract/operation.ts'
import { checkRequestBody, checkRequestParameters } from './check-request.ts'

function listing(schema: Schema) {
  return tokenCall('GET /list', {
    tag: 'Test',
    summary: 'List',
    description: 'Lists.',
    parameters: { limit: query('', schema) },
    answer: json('', {}),
  })
}

const LIMIT: Schema = preset(count({ minimum: 1, maximum: 100 }), 20)

function check(asked: string, schema = LIMIT) {
  const params = new URLSearchParams(asked)
  return checkRequestParameters(listing(schema), new Map(), params, new Headers())
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

  test('stays text where the definition says text', () => {
    expect(check('limit=7', text())).toEqual({ limit: '7' })
  })
})

test('a call without a body in its definition takes whatever comes', () => {
  expect(checkRequestBody(listing(LIMIT), undefined)).toBeUndefined()
  expect(checkRequestBody(listing(LIMIT), { any: 'thing' })).toBeUndefined()
})

test('a member of a body that is absent gets its default', () => {
  const member = object({}, { skip: preset(flag(), false) })
  const create = tokenCall('POST /create', {
    tag: 'Test',
    summary: 'Create',
    description: 'Creates.',
    body: body(object({ member: anyOf(text(), member) }), { member: '' }),
    answer: json('', {}),
  })
  expect(checkRequestBody(create, { member: {} })).toEqual({ member: { skip: false } })
  expect(checkRequestBody(create, { member: { skip: true } })).toEqual({ member: { skip: true } })
  expect(checkRequestBody(create, { member: 'text' })).toEqual({ member: 'text' })
})

test('at most five faults are told at once', () => {
  const fields = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`field${at}`, at]))
  const strict = tokenCall('POST /create', {
    tag: 'Test',
    summary: 'Create',
    description: 'Creates.',
    body: body(object({}), {}),
    answer: json('', {}),
  })
  const refused = checkRequestBody(strict, fields) as Rejection
  const faults = refused.message.split('; ')
  expect(faults.filter((fault) => fault.startsWith('field'))).toHaveLength(5)
})

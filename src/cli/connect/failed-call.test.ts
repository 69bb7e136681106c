import { expect, test } from 'bun:test'
import { ApiError } from '@headgate/client'
import { failedCall } from './failed-call.ts'

const CONNECTION = { url: 'http://localhost:8080', token: 'secret', tokenFrom: '--token' }

test('an operator who named no team hears of the option, not of a header alone', () => {
  const message = 'X-Team-Id is missing: the operator’s token belongs to no team.'
  const failed = failedCall(new ApiError(400, 'X', message), CONNECTION)
  expect(failed).toEqual({ text: `${message}\nGive its id with --team.`, reason: 'failed' })
})

test('a Headgate with a configuration is said to be no local development', () => {
  const message = 'There is no such call; see /docs/reference.'
  const { text, reason } = failedCall(new ApiError(404, 'NotFound', message), CONNECTION)
  expect(text).toContain('The Headgate at http://localhost:8080 does not have this.')
  expect(text).toContain('local development')
  expect(reason).toBe('failed')
})

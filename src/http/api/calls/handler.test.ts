import { expect, test } from 'bun:test'
import { Rejection } from '../../../core/errors.ts'
import type { Handler } from './handler.ts'

/** That these lines compile, or do not, is the test. */
const HANDLERS = {
  reads: ((_api, { body, parameters, team }) => {
    const name: string | undefined = body.name
    const networks: readonly string[] | undefined = body.networks
    const refusal = `${team.id} ${parameters.id} ${name} ${networks?.length}`
    return Promise.resolve(new Rejection('validation', refusal))
  }) satisfies Handler<'changeApp'>,

  completes: ((_api, { parameters }) => {
    const limit: number = parameters.limit
    const after: string | undefined = parameters.after
    return Promise.resolve(new Rejection('validation', `${limit} ${after}`))
  }) satisfies Handler<'listVariableItems'>,

  misspells: (async (_api, { body }) =>
    // @ts-expect-error the body has no such member
    new Rejection('validation', body.nme)) satisfies Handler<'changeApp'>,

  // @ts-expect-error the answer lacks most of an app
  forgets: (async () => ({ data: { id: 'app_1' } })) satisfies Handler<'getApp'>,

  // @ts-expect-error nobody has named a team to the operator's calls
  presumes: (async (_api, { team }) =>
    new Rejection('validation', team.id)) satisfies Handler<'listTeams'>,
}

test('a handler takes and answers what its call says, or does not compile', () => {
  expect(Object.keys(HANDLERS)).toHaveLength(5)
})

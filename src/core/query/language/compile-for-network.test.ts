import { describe, expect, test } from 'bun:test'
import { Rejection } from '../../errors.ts'
import type { Network, UpstreamSpec } from '../../network.ts'
import { compileForNetwork } from './compile-for-network.ts'
import { compileQuery } from './compile-query.ts'

const TRACES = '{ block { callTracerTraces { type } } }'
const LOGS = '{ block { logs { data } } }'

describe('a query for traces', () => {
  test('is refused where no upstream is configured with traces', () => {
    expect(compileForNetwork(TRACES, network([false]))).toEqual(
      new Rejection(
        'validation',
        'graphql_query: callTracerTraces: no upstream of ETH_MAINNET is configured with traces.',
      ),
    )
  })

  test('is taken where one of them is', () => {
    expect(compileForNetwork(TRACES, network([false, true]))).toEqual(compileQuery(TRACES))
  })
})

test('a query for anything else is taken without', () => {
  expect(compileForNetwork(LOGS, network([false]))).toEqual(compileQuery(LOGS))
})

test('a query that is refused everywhere is refused in the same words', () => {
  expect(compileForNetwork('{ nothing }', network([true]))).toEqual(compileQuery('{ nothing }'))
})

function network(traces: boolean[]): Network {
  return {
    id: 'ETH_MAINNET',
    slug: 'eth-mainnet',
    kind: 'evm',
    blockTimeMs: 12_000,
    headPollMs: 4_000,
    headLagMsMax: 30_000,
    upstreams: traces.map((serves) => ({ traces: serves }) as UpstreamSpec),
  }
}

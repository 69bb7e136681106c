import { expect } from 'bun:test'
import type { Tier } from '../src/core/billing/plan.ts'
import { checkSchema } from '../src/core/json-schema.ts'
import { type ApiNeeds, apiRouter } from '../src/http/api-router.ts'
import { OPEN_API } from '../src/http/contract.ts'
import { routeTable } from '../src/http/route-table.ts'
import type { Clock } from '../src/ports/clock.ts'
import type { LogFields } from '../src/ports/telemetry.ts'
import { openSecrets } from '../src/system/secrets.ts'
import { systemEntropy } from '../src/system/system-entropy.ts'
import { createTeam, createToken } from '../src/tables/new-accounts.ts'
import { freshStore } from './fresh-store.ts'

export type Answer = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
  body: any
}

type Options = { token?: string; body?: unknown; text?: string; headers?: Record<string, string> }

export const PUBLIC_URL = 'http://gate.example:8080'

/** Half an hour into 2026-11-15. */
export const START_MS = Date.parse('2026-11-15T00:30:00Z')

const FREE: Tier = {
  name: 'free',
  monthlyCu: 30_000_000,
  cuPerSecond: 500,
  paid: false,
  webhooksMax: 100,
}

const findRoute = routeTable(OPEN_API.paths)

/** The management API on a port of its own, with a store in memory and time that stands still. */
export async function managementApi(overrides: Partial<ApiNeeds> = {}) {
  const time = { nowMs: START_MS }
  const entropy = systemEntropy()
  const logged: LogFields[] = []
  const seen = { changes: 0 }
  const needs: ApiNeeds = {
    database: await freshStore(),
    clock: stoppedClock(time),
    entropy,
    secrets: openSecrets(entropy.bytes(32), entropy),
    tiers: new Map([
      ['free', FREE],
      ['enterprise', { ...FREE, name: 'enterprise', monthlyCu: null, paid: true }],
    ]),
    networks: () => [
      { id: 'ETH_MAINNET', slug: 'eth-mainnet' },
      { id: 'SOLANA_MAINNET', slug: 'sol' },
    ],
    networkReport: () => [],
    publicUrl: PUBLIC_URL,
    accountsChanged: () => {
      seen.changes++
    },
    telemetry: { log: (_level, _event, fields) => logged.push(fields) },
    ...overrides,
  }
  const { database } = needs
  const operator = await createToken(database, needs, {
    kind: 'operator',
    teamId: null,
    name: 'operator',
  })
  const own = await createTeam(database, needs, { name: 'Payments', tier: 'free' })

  const router = apiRouter(needs)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    fetch: (request) => router(request, new URL(request.url).pathname, '192.0.2.1'),
  })

  return {
    url: `http://127.0.0.1:${server.port}`,
    needs,
    time,
    logged,
    seen,
    operatorToken: operator.token,
    operatorTokenId: operator.id,
    teamId: own.team.id,
    teamToken: own.token,
    call(method: string, path: string, options: Options = {}): Promise<Answer> {
      return callAndCheck(`http://127.0.0.1:${server.port}`, method, path, {
        token: own.token,
        ...options,
      })
    },
    async close() {
      await server.stop(true)
      await database.close()
    },
  }
}

function stoppedClock(time: { nowMs: number }): Clock {
  return {
    nowMs: () => time.nowMs,
    monotonicMs: () => time.nowMs,
    after: () => () => {},
    every: () => () => {},
    sleep: async () => {},
  }
}

/** Every answer of a documented call is held against the document, whatever the test looks at. */
async function callAndCheck(
  url: string,
  method: string,
  path: string,
  { token, body, text, headers = {} }: Options,
): Promise<Answer> {
  const sent = text ?? (body === undefined ? null : JSON.stringify(body))
  const response = await fetch(url + path, {
    method,
    body: sent,
    headers: {
      ...(token && { 'x-service-token': token }),
      ...(sent !== null && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  const answer = { status: response.status, headers: response.headers, body: await response.json() }
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')

  const route = findRoute(method, path.split('?')[0] ?? '')
  if (route.kind !== 'found' || answer.status >= 500) return answer
  const documented = route.operation.responses[String(answer.status)]
  const schema = documented?.content?.['application/json']?.schema
  expect(schema, `${method} ${path} answers ${answer.status}`).toBeDefined()
  expect(checkSchema(schema ?? {}, answer.body, OPEN_API)).toEqual([])
  return answer
}

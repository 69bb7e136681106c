import { type ApiRouter, apiRouter } from '../src/http/api/api-router.ts'
import type { ManagementApi } from '../src/http/api/management-api.ts'
import type { Clock } from '../src/ports/clock.ts'
import { openMachineSignals } from '../src/ports/driver-parts/machine-signals.ts'
import type { LogFields } from '../src/ports/telemetry.ts'
import { openSecrets } from '../src/system/machine/secrets.ts'
import { systemEntropy } from '../src/system/machine/system-entropy.ts'
import { createTeam, createToken } from '../src/tables/accounts/new-accounts.ts'
import { freshStore } from './fresh-store.ts'
import { quietTelemetry } from './support/basics/quiet-telemetry.ts'
import { aTier } from './support/product/a-tier.ts'
import { apiParts } from './support/product/api-parts.ts'
import { type Answer, type CallOptions, callAndCheck } from './support/product/checked-call.ts'

export const PUBLIC_URL = 'http://gate.example:8080'

/** Half an hour into 2026-11-15. */
export const START_MS = Date.parse('2026-11-15T00:30:00Z')

const FREE = aTier({ monthlyCu: 30_000_000, cuPerSecond: 500 })

/** The management API on a port of its own, with a store in memory and time that stands still. */
export async function managementApi(overrides: Partial<ManagementApi> = {}) {
  const time = { nowMs: START_MS }
  const client = { address: '192.0.2.1' }
  const entropy = systemEntropy()
  const logged: LogFields[] = []
  const seen = { changes: 0, webhookChanges: 0 }
  const needs: ManagementApi = {
    local: null,
    signals: openMachineSignals(),
    database: await freshStore(),
    clock: stoppedClock(time),
    entropy,
    egress: { vet: async () => null },
    secrets: openSecrets(entropy.bytes(32), entropy),
    tiers: new Map([
      ['free', FREE],
      ['enterprise', { ...FREE, name: 'enterprise', monthlyCu: null, paid: true }],
    ]),
    networks: () => [
      { id: 'ETH_MAINNET', slug: 'eth-mainnet' },
      { id: 'SOLANA_MAINNET', slug: 'sol' },
    ],
    services: () => [],
    ...apiParts(stoppedClock(time), PUBLIC_URL),
    attempt: () => Promise.reject(new Error('no destination is expected')),
    networkReport: async () => [],
    // Streams are over before they begin, as nothing changes where time stands still.
    live: { open: async () => new Response(''), hint() {}, stop() {} },
    publicUrl: PUBLIC_URL,
    accountsChanged: () => {
      seen.changes++
    },
    webhooksChanged: () => {
      seen.webhookChanges++
    },
    telemetry: { ...quietTelemetry(), log: (_level, _event, fields) => logged.push(fields) },
    ...overrides,
  }
  const { database } = needs
  const asOperator = { kind: 'operator', teamId: null, name: 'operator' } as const
  const operator = await createToken(database, needs, asOperator)
  const own = await createTeam(database, needs, { name: 'Payments', tier: 'free' })

  const server = served(apiRouter(needs), client)

  return {
    url: `http://127.0.0.1:${server.port}`,
    needs,
    time,
    client,
    logged,
    seen,
    operatorToken: operator.token,
    operatorTokenId: operator.id,
    teamId: own.team.id,
    teamToken: own.token,
    call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
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

function served(router: ApiRouter, client: { address: string }) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    fetch(request, socket) {
      return router(request, new URL(request.url).pathname, {
        address: () => client.address,
        hold: () => socket.timeout(request, 0),
        cut: () => socket.timeout(request, 1),
      })
    },
  })
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

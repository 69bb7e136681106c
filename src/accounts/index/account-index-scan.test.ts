import { afterEach, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { quietTelemetry } from '../../../tests/support/basics/quiet-telemetry.ts'
import {
  type AccountNode,
  fill,
  PROGRAM,
  startAccountNode,
} from '../../../tests/support/nodes/account-node.ts'
import { openSolanaNetwork } from '../../../tests/support/nodes/http-network.ts'
import { until } from '../../../tests/support/product/headgate.ts'
import { openAccountStoreHere } from '../../../tests/support/solana/open-account-store-here.ts'
import { Failure } from '../../core/errors.ts'
import { decodeKey } from '../../core/solana/base58.ts'
import { systemClock } from '../../system/machine/system-clock.ts'
import { scanProgram } from './account-index-scan.ts'

type AccountStore = ReturnType<typeof openAccountStoreHere>

const stops: (() => unknown)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Reads a program from a node, into a store with these faults. */
async function scanInto(node: AccountNode, faults: Partial<AccountStore>) {
  const clock = systemClock()
  const { name, url } = node
  const service = await openSolanaNetwork({ clock, telemetry: quietTelemetry() }, [{ name, url }])
  const store = openAccountStoreHere()
  stops.push(node.stop, service.stop, store.close)
  const { signal } = new AbortController()
  const program = decodeKey(PROGRAM) as Uint8Array
  const request = { program, hasData: true, slotMin: 0, signal }
  return scanProgram({ clock, service, store: { ...store, ...faults } }, request, [])
}

function nodeWithMuch(): AccountNode {
  const node = startAccountNode()
  fill(node, 2000, 10_000)
  return node
}

test('a scan reads all accounts of a program', async () => {
  const node = nodeWithMuch()
  expect(await scanInto(node, {})).toEqual({ kind: 'whole', slot: 1000, count: 2000 })
  expect(node.cancelled).toBe(0)
})

test('a store that cannot begin a scan has the node send nothing more', async () => {
  const node = nodeWithMuch()
  const startScan = () => Promise.reject(new Failure('database_unavailable'))
  const failure = await failureOf(scanInto(node, { startScan }))
  expect(failure).toMatchObject({ code: 'database_unavailable' })
  await until(() => node.cancelled === 1, 'the node is told')
})

test('neither does a store that fails in the middle of one', async () => {
  const node = nodeWithMuch()
  const addToScan = () => Promise.reject(new Failure('database_unavailable'))
  const end = await scanInto(node, { addToScan })
  expect(end).toEqual({ kind: 'unusable', reason: 'broke_off' })
  await until(() => node.cancelled === 1, 'the node is told')
})

import {
  type OpenAccountIndex,
  openAccountIndex,
} from '../../../src/accounts/index/account-index.ts'
import { encodeKey } from '../../../src/core/solana/base58.ts'
import { matchesFilters } from '../../../src/core/solana/request/matches-filters.ts'
import {
  type ProgramAccountsCall,
  readProgramAccountsCall,
} from '../../../src/core/solana/request/program-accounts.ts'
import { isSolanaError } from '../../../src/core/solana/solana-error.ts'
import { openMachineSignals } from '../../../src/ports/driver-parts/machine-signals.ts'
import { openNetwork } from '../../../src/upstream/answers/open-network.ts'
import { quietTelemetry } from '../basics/quiet-telemetry.ts'
import { type Chance, seededChance } from '../basics/seeded-chance.ts'
import { type TestClock, testClock } from '../basics/test-clock.ts'
import { testWorld } from '../basics/test-world.ts'
import { type LedgerNode, ledgerNode } from '../nodes/ledger-node.ts'
import { openAccountStoreHere } from './open-account-store-here.ts'
import { recordsOf, type ScriptedLedger, scriptedLedger } from './scripted-ledger.ts'

type AccountStore = ReturnType<typeof openAccountStoreHere>

type LogFields = Parameters<ReturnType<typeof quietTelemetry>['log']>[2]

/** An index on a scripted ledger, with a clock that moves on command. */
export type IndexStage = {
  clock: TestClock
  chance: Chance
  ledger: ScriptedLedger
  node: LedgerNode
  /** Exchanged by `restart`. */
  index: OpenAccountIndex
  store: AccountStore
  log: LogFields[]
  /** Mines a block every 400 ms for so long, doing what the test wants before each. */
  run(ms: number, beforeBlock?: () => void): Promise<void>
  /** Lets time pass without blocks. */
  wait(ms: number): Promise<void>
  call(config?: object): ProgramAccountsCall
  /** The records of all pages at a slot; fails when they are gone. */
  read(call: ProgramAccountsCall, slot: bigint, limit?: number): Promise<string>
  /** Fails unless the newest moment that is shown is what the ledger had then; returns its slot. */
  check(config?: object): Promise<number>
  /** Starts again as after an end of the process: the store is all that is left. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export const SLOT_MS = 400

type Options = {
  program?: Uint8Array
  seed?: number
  store?: AccountStore
  keepMs?: number
  ledger?: ScriptedLedger
  ws?: boolean
}

export async function openIndexStage(options: Options = {}): Promise<IndexStage> {
  const { program = new Uint8Array(32).fill(7), seed = 1, keepMs = 600_000, ws = true } = options
  const clock = testClock()
  const chance = seededChance(seed)
  const ledger = options.ledger ?? scriptedLedger(program)
  const node = ledgerNode(clock, ledger, chance)
  const store = lateStore(clock, chance, options.store ?? openAccountStoreHere())
  const log: LogFields[] = []
  const telemetry = {
    ...quietTelemetry(),
    log: (_level: string, event: string, fields: LogFields) => void log.push({ event, ...fields }),
  }
  const { outbound, sockets } = node
  const signals = openMachineSignals()
  const needs = { clock, signals, outbound, sockets, telemetry, store }
  const upstream = { name: 'node', url: 'http://node/', ...(ws ? { ws: 'ws://node/' } : {}) }
  const usual = { priority: 0, traces: false, concurrencyMax: 64, batchMax: 0, timeoutMs: 10_000 }
  const service = openNetwork(
    needs,
    {
      id: 'SOLANA_TEST',
      slug: 'solana-test',
      kind: 'solana',
      blockTimeMs: SLOT_MS,
      headPollMs: 250,
      headLagMsMax: 30_000,
      upstreams: [{ ...usual, ...upstream }],
    },
    { prices: {}, cacheBytesMax: 0, latestMaxAgeMs: 0 },
  )
  await clock.advance(10)
  const world = testWorld({ clock, telemetry })
  const open = () =>
    openAccountIndex(world, { sockets, store }, service, { programs: [encodeKey(program)], keepMs })

  const stage: IndexStage = {
    clock,
    chance,
    ledger,
    node,
    index: open(),
    store,
    log,
    async run(ms, beforeBlock = () => {}) {
      for (let passed = 0; passed < ms; passed += SLOT_MS) {
        beforeBlock()
        ledger.mine()
        await stage.wait(SLOT_MS)
      }
    },
    async wait(ms) {
      // In small steps: a scan takes many turns of the event loop, and time stands still in each.
      for (let passed = 0; passed < ms; passed += 25) await clock.advance(Math.min(25, ms - passed))
    },
    call: (config = {}) => callOf(program, config),
    read: (call, slot, limit) => readAll(stage.index, call, slot, limit),
    check: (config = {}) => check(stage, config),
    async restart() {
      await ended(stage)
      stage.index = open()
    },
    async stop() {
      await ended(stage)
      service.stop()
      await store.close()
    },
  }
  return stage
}

/** A store that at times is slow to write. */
function lateStore(clock: TestClock, chance: Chance, store: AccountStore): AccountStore {
  return {
    ...store,
    async apply(changes) {
      if (chance.fraction() < 0.3) await clock.sleep(chance.between(1, 1_500))
      return store.apply(changes)
    },
  }
}

async function ended({ index, clock }: IndexStage): Promise<void> {
  const stopped = index.stop()
  await clock.advance(2_500)
  await stopped
}

function callOf(program: Uint8Array, config: object): ProgramAccountsCall {
  const params = JSON.stringify([encodeKey(program), { commitment: 'confirmed', ...config }])
  const call = readProgramAccountsCall(params, { defaultEncoding: 'json', pageLimit: 10_000 }, 2)
  if (isSolanaError(call)) throw new Error(call.message)
  return call
}

async function readAll(
  index: OpenAccountIndex,
  call: ProgramAccountsCall,
  slot: bigint,
  limit = 1_000,
): Promise<string> {
  const texts: string[] = []
  let after: Uint8Array | null = null
  for (;;) {
    const page = await index.page(call, { slot, after, limit, bytesMax: 1e9, teamId: 'team' })
    if (typeof page === 'string') throw new Error(`the page is ${page}`)
    if (isSolanaError(page)) throw new Error(page.message)
    if (page.count > limit) throw new Error('a page holds more than was asked for')
    if (page.count > 0) texts.push(Buffer.concat(page.bytes).toString())
    if (!page.more) return texts.join()
    if (page.last === null) throw new Error('more, but from where?')
    after = page.last
  }
}

async function check(stage: IndexStage, config: object): Promise<number> {
  const call = stage.call(config)
  const covered = stage.index.covers(call)
  if (covered === null) throw new Error('nothing is shown')
  const slot = Number(covered.slot)
  const { chance, ledger } = stage
  const shown = await stage.read(call, covered.slot, chance.between(1, 50))
  if (shown !== expectedText(ledger, call, slot)) {
    throw new Error(`at slot ${slot} it is not as on the ledger`)
  }
  if (call.commitment === 'finalized' && !ledger.blocks().includes(slot)) {
    throw new Error(`slot ${slot} is shown as final and is none of the ledger`)
  }
  return slot
}

/** The text that a node would have written at that slot. */
export function expectedText(
  ledger: ScriptedLedger,
  call: ProgramAccountsCall,
  slot: number,
): string {
  const accounts = ledger.at(slot)
  if (accounts === null) throw new Error(`slot ${slot} has no block`)
  const matching = accounts.filter(({ data }) => matchesFilters(call.filters, data))
  return recordsOf(call.order === 'desc' ? matching.reverse() : matching)
}

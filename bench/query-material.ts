import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Block } from '../src/core/chain/block.ts'
import { Rejection } from '../src/core/errors.ts'
import { compileQuery } from '../src/core/query/language/compile-query.ts'
import type { KeyTest, ListFilter, QueryPlan } from '../src/core/query/language/query-plan.ts'
import { type Chance, seededChance } from '../tests/support/basics/seeded-chance.ts'
import { type MadeBlock, makeRawBlock } from '../tests/support/blocks/block-maker.ts'
import { hex, type NodeJson } from '../tests/support/blocks/node-json.ts'
import { assembled } from '../tests/support/product/assembled.ts'
import { median, type Sample } from './compare.ts'

/** A full block of main net in 2026, recorded; too big for the repository. */
export const RECORDED = fileURLToPath(
  new URL('../../shared/data/mainnet-25604144/', import.meta.url),
)

export type BenchBlock = {
  name: string
  raw: MadeBlock
  /** Keys that the block has: addresses called, addresses that logged, first topics. */
  receivers: string[]
  loggers: string[]
  events: string[]
}

export type QueryKeys = { to: string; address: string; topic: string | null }

export function benchBlock(): BenchBlock {
  const raw = existsSync(RECORDED) ? recordedBlock() : madeBlock()
  const logs: NodeJson[] = raw.receipts.flatMap((receipt) => receipt.logs)
  return {
    name: existsSync(RECORDED) ? 'block 25604144 of main net' : 'a made block of that size',
    raw,
    receivers: distinct(raw.block.transactions.flatMap(({ to }: NodeJson) => to ?? [])),
    loggers: distinct(logs.map(({ address }) => address)),
    events: distinct(logs.flatMap(({ topics }) => topics.slice(0, 1))),
  }
}

/**
 * The block as it comes from a node, with strings that no look-up has seen before:
 * the runtime keeps the hash of a string, and a new block has none of them.
 */
export function freshBlock({ raw }: BenchBlock): Block {
  return assembled(JSON.parse(JSON.stringify(raw)))
}

/** The query of the scenarios: a wallet's or a contract's life in three lists. */
export function queryText({ to, address, topic }: QueryKeys): string {
  const topics = topic === null ? '' : `, topics: ["${topic}"]`
  return `{ block { hash number
    transactions(filter: { addresses: [{ to: "${to}" }] }) { hash from { address } to { address } value gas status }
    logs(filter: { addresses: ["${address}"]${topics} }) { index topics data account { address } transaction { hash } }
    callTracerTraces(filter: { addresses: [{ to: "${to}" }] }) { from { address } to { address } value input output gas error }
  } }`
}

/** Keys that nobody has, or with `hits` some that the block has. */
export function queryKeys(chance: Chance, block: BenchBlock, hits: boolean): QueryKeys {
  const topic = chance.fraction() < 0.5 ? chance.pick(block.events) : null
  if (!hits) return { to: hex(chance, 20), address: hex(chance, 20), topic }
  return { to: chance.pick(block.receivers), address: chance.pick(block.loggers), topic }
}

/** Compiling a hundred thousand texts takes a minute, so one plan gets other keys. */
export function planMaker(): (keys: QueryKeys) => QueryPlan {
  const zeros = { to: `0x${'0'.repeat(40)}`, address: `0x${'0'.repeat(40)}` }
  const plans = new Map(
    [null, `0x${'0'.repeat(64)}`].map((topic) => [
      topic === null,
      compiled(queryText({ ...zeros, topic })),
    ]),
  )
  return (keys) => {
    const plan = plans.get(keys.topic === null) as QueryPlan
    const fields = plan.selection.fields.map((field) =>
      field.filter ? { ...field, filter: filterWith(field.filter, keys) } : field,
    )
    return { ...plan, selection: { ...plan.selection, fields } }
  }
}

export function compiled(text: string): QueryPlan {
  const plan = compileQuery(text)
  if (plan instanceof Rejection) throw new Error(plan.message)
  return plan
}

/** How long `work` takes for so many queries, and what it costs the processor. */
export function sampleOf(queries: number, times: readonly number[], cpuUs: number): Sample {
  const sorted = times.toSorted((one, other) => one - other)
  return {
    perSecond: (queries * 1000) / median(times),
    cpuUsPerCall: cpuUs / (queries * times.length),
    p50Ms: median(times),
    p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
    failed: 0,
  }
}

/** Runs `work` once for each of what `prepare` gives, and times only `work`. */
export function timeEach<T>(count: number, prepare: () => T, work: (input: T) => void) {
  const times: number[] = []
  let cpuUs = 0
  for (let at = 0; at < count; at++) {
    const input = prepare()
    const cpu = process.cpuUsage()
    const before = performance.now()
    work(input)
    times.push(performance.now() - before)
    const { user, system } = process.cpuUsage(cpu)
    cpuUs += user + system
  }
  return { times, cpuUs }
}

function filterWith(filter: ListFilter, { to, address, topic }: QueryKeys): ListFilter {
  const one = (key: string): KeyTest => ({ kind: 'keys', keys: [key] })
  if (filter.kind === 'pairs') return { kind: 'pairs', pairs: [{ from: null, to: one(to) }] }
  return { kind: 'logs', addresses: one(address), topics: topic === null ? [] : [one(topic)] }
}

function recordedBlock(): MadeBlock {
  const read = (name: string) => JSON.parse(readFileSync(`${RECORDED}${name}.json`, 'utf8'))
  return { block: read('block'), receipts: read('receipts'), traces: read('callTracer') }
}

function madeBlock(): MadeBlock {
  const chance = seededChance(25_604_144)
  return makeRawBlock(chance, {
    number: 25_604_144,
    parentHash: hex(chance, 32),
    transactions: 284,
    logsMax: 5,
    framesMax: 10,
    keys: 400,
  })
}

function distinct(keys: readonly string[]): string[] {
  return [...new Set(keys.map((key) => key.toLowerCase()))]
}

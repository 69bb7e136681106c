import { existsSync } from 'node:fs'
import { openBloomBits } from '../src/core/chain/logs-bloom.ts'
import { type ProofParts, proveBlock } from '../src/core/chain/proof/prove-block.ts'
import { openBlockProver } from '../src/system/prover/block-prover.ts'
import eachType from '../tests/support/proofs/each-type.json'
import {
  compare,
  type Effort,
  median,
  type Result,
  round2,
  type Sample,
  target,
} from './compare.ts'
import { benchBlock, RECORDED, sampleOf } from './query-material.ts'

const BLOCKS_EACH = 10

type Prover = ReturnType<typeof openBlockProver>

/** P21: the proof of a block by its hash, in the thread and out of it. */
export async function blockProofs(effort: Effort): Promise<Result> {
  const { name, parts } = blockToProve()
  const prover = openBlockProver()
  const held: number[] = []
  const senders = { ...parts, hasSenders: true }
  const rows = await compare(effort, [
    { name: 'proven beside the main loop', measure: () => measured(prover, parts, effort, held) },
    { name: 'with senders', measure: () => measured(prover, senders, effort, []) },
    { name: 'in one go, on the main loop', measure: async () => measuredHere(parts, effort) },
  ])
  prover.close()
  const isWhole = existsSync(RECORDED)
  const bound = (atMost: number) => (isWhole ? { atMost } : {})
  return {
    scenario: 'P21',
    title: `the proof of ${name}`,
    rows,
    targets: [
      target('until a main-net block is proven', rows[0]?.p50Ms ?? 0, bound(15), 'ms'),
      target('of it on the main loop', median(held), bound(5), 'ms'),
    ],
    notes: [
      'A call is one block: header, transactions, receipts, withdrawals; p50 from the call to the proof.',
      `With senders, each is recovered from its signature: ${round2(rows[1]?.p50Ms ?? 0)} ms.`,
    ],
  }
}

function blockToProve(): { name: string; parts: ProofParts } {
  const { name, raw } = existsSync(RECORDED)
    ? benchBlock()
    : { name: 'a small block of the embedded chain', raw: eachType }
  const { block, receipts } = raw
  const all = { hasReceipts: true, hasTransactions: true, hasSenders: false }
  return { name, parts: { hash: block.hash, block, receipts, ...all } }
}

/** `held` gets how long each call kept the main loop, which is before its promise is there. */
async function measured(
  prover: Prover,
  parts: ProofParts,
  effort: Effort,
  held: number[],
): Promise<Sample> {
  const times: number[] = []
  const cpuBefore = process.cpuUsage()
  for (let at = 0; at < blocksOf(effort); at++) {
    const startedMs = performance.now()
    const proving = prover.prove(parts)
    held.push(performance.now() - startedMs)
    expectProven(await proving)
    times.push(performance.now() - startedMs)
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  return sampleOf(1, times, user + system)
}

const bloomBits = openBloomBits()

function measuredHere(parts: ProofParts, effort: Effort): Sample {
  const times: number[] = []
  const cpuBefore = process.cpuUsage()
  for (let at = 0; at < blocksOf(effort); at++) {
    const startedMs = performance.now()
    expectProven(proveBlock(parts, bloomBits))
    times.push(performance.now() - startedMs)
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  return sampleOf(1, times, user + system)
}

function blocksOf({ rounds }: Effort): number {
  return rounds > 1 ? BLOCKS_EACH : 1
}

function expectProven(proof: ReturnType<typeof proveBlock>): void {
  if (proof.kind !== 'proven') throw new Error(proof.reason)
}

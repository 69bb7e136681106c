import { describe, expect, test } from 'bun:test'
import { openScriptedNetwork } from '../../../tests/support/nodes/scripted-network.ts'
import { Failure } from '../../core/errors.ts'
import type { PoolCall } from '../pool/routed-request.ts'
import { askForLogs } from './ask-for-logs.ts'

const RANGE = { from: 0, to: 999 }

function log(block: number): string {
  const hash = `0x${block.toString(16).padStart(64, '0')}`
  return `{"blockNumber":"0x${block.toString(16)}","logIndex":"0x0","blockHash":"${hash}"}`
}

/** Asks for logs, to be answered by the test. */
async function asking(bytesMax: number) {
  const { network, outbound, clock } = await openScriptedNetwork([{ name: 'node-a' }])
  const of = network.methods.find('eth_getLogs')
  const rest = { atHead: false, heightMin: null, heavy: true, params: [], paramsText: '[]' }
  const call: PoolCall = { method: of.name, of, ...rest }
  const answer = askForLogs(network, call, { params: [{}], range: RANGE, bytesMax, from: null })
  await clock.advance(1)
  const [wire] = outbound.open('eth_getLogs')
  if (!wire) throw new Error('the call was sent')
  const [upstream] = network.pool.selection.upstreams
  return { answer, wire, upstream, network }
}

function streamOf(id: number, logs: readonly string[]): ReadableStream<Uint8Array> {
  const text = `{"jsonrpc":"2.0","id":${id},"result":[${logs.join()}]}`
  const chunks = text.match(/[\s\S]{1,8000}/g) ?? []
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
}

const LOGS = Array.from({ length: 800 }, (_, at) => log(at))

describe('an answer in many bytes', () => {
  test('is read whole up to a bound', async () => {
    const { answer, wire } = await asking(1_000_000)
    wire.stream(streamOf(wire.id, LOGS))
    expect(await answer).toMatchObject({ kind: 'logs', list: { text: LOGS.join() } })
  })

  test('beyond it says how many blocks a piece should have', async () => {
    const { answer, wire } = await asking(50_000)
    wire.stream(streamOf(wire.id, LOGS))
    const asked = await answer
    if (asked.kind !== 'refused') throw new Error('it is refused')
    expect(asked.refusal.kind).toBe('size')
    expect(asked.refusal.blocks).toBeWithin(60, 130)
  })
})

describe('an answer that is none', () => {
  test.each([
    ['a text', '0x0'],
    ['logs of other blocks', [JSON.parse(log(1000))]],
    ['null', null],
  ])('fails: %s', async (_what, result) => {
    const { answer, wire } = await asking(1000)
    wire.result(result)
    await expect(answer).rejects.toBeInstanceOf(Failure)
  })

  test('is an error of the node, which says nothing of the ranges it takes', async () => {
    const { answer, wire, upstream } = await asking(1000)
    wire.error(-32602, 'invalid argument 0')
    expect(await answer).toMatchObject({ kind: 'error', error: { code: -32602 } })
    expect(upstream?.logSpan.blocks).toBe(Number.POSITIVE_INFINITY)
  })

  test('is a refusal, which is remembered only if it is by range', async () => {
    for (const [message, blocks] of [
      ['block range too large, max 100', 100],
      ['query returned more than 100 results', Number.POSITIVE_INFINITY],
      ['limit exceeded', Number.POSITIVE_INFINITY],
    ] as const) {
      const { answer, wire, upstream, network } = await asking(1000)
      wire.error(-32005, message)
      expect(await answer).toMatchObject({ kind: 'refused' })
      expect(upstream?.logSpan.blocks).toBe(blocks)
      // The code alone would mean that the node wants fewer calls.
      expect(upstream?.throttledUntilMs).toBe(0)
      network.stop()
    }
  })
})

import { describe, expect, test } from 'bun:test'
import type { UpstreamSpec } from '../../core/network.ts'
import { judgeNetwork } from './judge-network.ts'
import { noFacts, type UpstreamFacts } from './upstream-facts.ts'

const spec = (name: string, more: Partial<UpstreamSpec> = {}): UpstreamSpec => ({
  name,
  url: 'http://hidden.example/hidden-key',
  priority: 0,
  traces: true,
  concurrencyMax: 8,
  batchMax: 100,
  timeoutMs: 1000,
  ...more,
})

const network = (...upstreams: UpstreamSpec[]) => ({
  id: 'ETH_MAINNET',
  slug: 'eth-mainnet',
  kind: 'evm' as const,
  chainId: 1,
  blockTimeMs: 12_000,
  headPollMs: 4000,
  headLagMsMax: 30_000,
  upstreams,
})

/** An upstream at which there is nothing to find. */
const good = (upstream: string, more: Partial<UpstreamFacts> = {}): UpstreamFacts => ({
  ...noFacts(upstream, 'evm'),
  chain: '1',
  head: { number: 1000, ageMs: 3000 },
  finalized: 930,
  safe: 960,
  receipts: 'yes',
  traces: { block: 'yes', transaction: 'yes', parity: 'no' },
  batch: { accepted: 200, refused: null },
  logs: { accepted: 100_000, refused: null, isWholeChain: false },
  stateDepth: 1000,
  isArchive: true,
  socket: 'works',
  p50Ms: 20,
  ...more,
})

const TWO = network(spec('a'), spec('b'))

const found = (a: Partial<UpstreamFacts>, on = TWO) =>
  judgeNetwork(on, [good('a', a), good('b')]).map(
    ({ level, upstream, text, option }) => `${level} ${upstream}: ${text} [${option}]`,
  )

describe('the judgement of the doctor', () => {
  test('finds nothing at good upstreams', () => {
    expect(found({})).toEqual([])
    expect(found({ head: { number: 998, ageMs: 30_000 } })).toEqual([])
  })

  test.each<[string, Partial<UpstreamFacts>, string]>([
    ['silence', { fault: 'timed_out' }, 'wrong a: does not answer: no answer came in time. [url]'],
    ['a refused key', { fault: 'http_401' }, 'wrong a: does not answer: it refuses the key (401).'],
    [
      'another chain',
      { isChainRight: false, chain: '56', head: null },
      'wrong a: is on chain 56, and not on 1',
    ],
    [
      'a node far behind',
      { head: { number: 988, ageMs: 150_000 } },
      'wrong a: is 12 blocks behind the others (about 2 min): it is not used',
    ],
    [
      'a receipt at a time',
      { receipts: 'no' },
      'warning a: has no eth_getBlockReceipts: receipts are read one by one',
    ],
    [
      'small batches',
      { batch: { accepted: 12, refused: 25 } },
      'warning a: takes batches of 12, and not of 25: those are refused and sent again. [batchMax: 12]',
    ],
    ['no batches', { batch: { accepted: 1, refused: 3 } }, '[batchMax: 0]'],
    [
      'no traces',
      { traces: { block: 'no', transaction: 'unknown', parity: 'no' } },
      '[traces: false]',
    ],
    [
      'traces by transaction alone',
      { traces: { block: 'no', transaction: 'yes', parity: 'no' } },
      'warning a: has no debug_traceBlockByHash',
    ],
    ['no finality', { finalized: null }, '[finalityDepth: 64]'],
    [
      'narrow logs',
      { logs: { accepted: 10, refused: 100, isWholeChain: false } },
      'warning a: gives 10 blocks of logs at once',
    ],
    ['no logs', { logs: null }, 'warning a: did not answer eth_getLogs.'],
    ['a pruned node', { isArchive: false, stateDepth: 64 }, 'note a: has the state of 64 blocks'],
    ['no socket', { socket: 'none' }, 'note a: has no ws address: new heads are polled'],
    ['a dead socket', { socket: 'timed_out' }, 'warning a: WebSocket: timed out;'],
    ['slow answers', { p50Ms: 2300 }, 'warning a: is slow: half of its answers take 2300 ms.'],
    ['a rate limit', { throttled: 3 }, 'warning a: put off 3 of our calls'],
  ])('tells of %s', (_title, facts, words) => {
    const said = found(facts)
    expect(said.join('\n')).toContain(words)
    // The other upstream is as good as before, and nothing of an address is told.
    expect(said.filter((line) => / b: /.test(line))).toEqual([])
    expect(said.join('\n')).not.toContain('hidden')
  })

  test('a head that nobody can believe does not make others late', () => {
    const lost = good('a', { isChainRight: false, head: { number: 9_999_999, ageMs: 0 } })
    const said = judgeNetwork(TWO, [lost, good('b')])
    expect(said.filter(({ upstream }) => upstream === 'b')).toEqual([])
  })

  test('a chain that stands still is wrong, and a head of tomorrow is the clock’s fault', () => {
    const old = { head: { number: 1000, ageMs: 3_600_000 } }
    const still = judgeNetwork(TWO, [good('a', old), good('b', old)])
    expect(still).toMatchObject([{ level: 'wrong', upstream: null }])
    const early = { head: { number: 1000, ageMs: -60_000 } }
    const ahead = judgeNetwork(TWO, [good('a', early), good('b', early)])
    expect(ahead).toMatchObject([{ level: 'warning', text: expect.stringContaining('clock') }])
  })

  test('no upstream at all is wrong, and one alone is worth a note', () => {
    const [one] = [network(spec('a'))]
    expect(judgeNetwork(one, [good('a')])).toMatchObject([{ level: 'note', option: 'upstreams' }])
    const none = judgeNetwork(one, [good('a', { fault: 'unreachable' })])
    expect(none.map(({ text }) => text)).toContain('No upstream can be used.')
  })
})

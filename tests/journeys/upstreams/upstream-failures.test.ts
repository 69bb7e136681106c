import { describe, expect, test } from 'bun:test'
import { hang } from '../../support/nodes/fake-node.ts'
import {
  always,
  heal,
  OUTAGE_MS_MAX,
  onReads,
  onTheWire,
  outage,
  saysAlways,
  saysOfReads,
} from '../../support/nodes/outage.ts'
import { httpAnswer, type TcpNode } from '../../support/nodes/tcp-node.ts'
import { rpc } from '../../support/product/headgate.ts'

type Bad = {
  kind: string
  spoil(bad: TcpNode): void
  /** The reason and the last fault that `/api/networks` shows. */
  reason: RegExp
  fault: RegExp
}

const status = (code: number, headers = {}) => new Response('no', { status: code, headers })
const body = (text: string) => new Response(text)

const RELAPSES_MAX = 50

const FAILING = /^failing: (resting before the next probe|being probed)$/

const BROKEN_EVERYWHERE: Bad[] = [
  {
    kind: 'refuses connections',
    spoil: (bad) => bad.cut(),
    reason: FAILING,
    fault: /unreachable|connection_lost/,
  },
  { kind: 'answers 500', spoil: always(() => status(500)), reason: FAILING, fault: /^http_500$/ },
  { kind: 'answers 502', spoil: always(() => status(502)), reason: FAILING, fault: /^http_502$/ },
  { kind: 'answers 503', spoil: always(() => status(503)), reason: FAILING, fault: /^http_503$/ },
  { kind: 'answers 401', spoil: always(() => status(401)), reason: FAILING, fault: /^http_401$/ },
  { kind: 'answers 403', spoil: always(() => status(403)), reason: FAILING, fault: /^http_403$/ },
  {
    kind: 'redirects',
    spoil: always(() => status(302, { location: '/' })),
    reason: FAILING,
    fault: /^http_302$/,
  },
  {
    kind: 'answers garbage',
    spoil: always(() => body('garbage')),
    reason: FAILING,
    fault: /^garbage$/,
  },
  {
    kind: 'answers HTML',
    spoil: always(() => body('<html><h1>Welcome</h1></html>')),
    reason: FAILING,
    fault: /^garbage$/,
  },
  { kind: 'answers nothing', spoil: always(() => body('')), reason: FAILING, fault: /^garbage$/ },
  { kind: 'answers null', spoil: always(() => body('null')), reason: FAILING, fault: /^garbage$/ },
  {
    kind: 'answers under another id',
    spoil: always(() => body('{"jsonrpc":"2.0","id":99999999,"result":"0x666"}')),
    reason: FAILING,
    fault: /^garbage$/,
  },
  {
    kind: 'sends less than it declared and closes',
    spoil: onTheWire(() => httpAnswer('{"jsonrpc":"2.0"', { 'content-length': '500' }), 'end'),
    reason: FAILING,
    fault: /^connection_lost$/,
  },
  {
    kind: 'sends less than it declared and breaks off',
    spoil: onTheWire(() => httpAnswer('{"jsonrpc":"2.0"', { 'content-length': '500' }), 'reset'),
    reason: FAILING,
    fault: /^connection_lost$/,
  },
  {
    kind: 'breaks off between chunks',
    spoil: onTheWire(
      () => httpAnswer('10\r\n{"jsonrpc":"2.0"\r\n', { 'transfer-encoding': 'chunked' }),
      'reset',
    ),
    reason: FAILING,
    fault: /^connection_lost$/,
  },
  {
    kind: 'closes between chunks',
    spoil: onTheWire(
      () => httpAnswer('10\r\n{"jsonrpc":"2.0"\r\n', { 'transfer-encoding': 'chunked' }),
      'end',
    ),
    reason: FAILING,
    fault: /^connection_lost$/,
  },
  {
    kind: 'closes without an answer',
    spoil: onTheWire(() => '', 'end'),
    reason: FAILING,
    fault: /^connection_lost$/,
  },
  {
    kind: 'speaks no HTTP',
    spoil: onTheWire(() => 'SSH-2.0-OpenSSH_9.6\r\n', 'end'),
    reason: FAILING,
    fault: /^connection_lost$/,
  },
  {
    kind: 'limits everything',
    spoil: always(() => status(429)),
    reason: /^rate-limited by the upstream$/,
    fault: /^rate_limited$/,
  },
  {
    kind: 'says of everything, in words alone, that our key is wrong',
    spoil: saysAlways(-32000, 'invalid project id'),
    reason: FAILING,
    fault: /^credentials refused$/,
  },
  {
    kind: 'says of everything, in words alone, that we are too fast',
    spoil: saysAlways(-32000, 'You have exceeded your quota'),
    reason: /^rate-limited by the upstream$/,
    fault: /^rate_limited$/,
  },
]

/** Polls are answered as ever, so that only calls can find out. */
const BROKEN_FOR_READS: Bad[] = [
  { kind: 'answers 500', spoil: onReads(() => status(500)), reason: FAILING, fault: /^http_500$/ },
  { kind: 'answers garbage', spoil: onReads(() => body('x')), reason: FAILING, fault: /^garbage$/ },
  { kind: 'hangs', spoil: onReads(hang), reason: FAILING, fault: /^(hangs|timed_out)$/ },
  {
    kind: 'says internal error',
    spoil: saysOfReads(-32603, 'internal error'),
    reason: FAILING,
    fault: /^internal error$/,
  },
  {
    kind: 'says that we are too fast',
    spoil: saysOfReads(-32005, 'daily request count exceeded, request rate limited'),
    reason: /^rate-limited by the upstream$/,
    fault: /^rate_limited$/,
  },
]

/** Answers that a node may give without being at fault: it stays in use. */
const CURED_ELSEWHERE: [kind: string, code: number, message: string][] = [
  ['that it does not have the block yet', -32000, 'header not found'],
  ['that it has pruned the state', -32000, 'missing trie node 4b3f (path )'],
  ['that the range is too wide for it', -32602, 'range 1000000 exceeds limit of 10000'],
  ['that it lacks the method', -32601, 'the method eth_getBalance does not exist'],
  // An answer to a call is no proof while polls, which nobody else words, are answered.
  ['in words alone, that our key is wrong', -32000, 'invalid project id'],
  ['in words alone, that we are too fast', -32000, 'You have exceeded your quota'],
]

describe.concurrent('beside one good node, no call fails when the other', () => {
  test.each(BROKEN_EVERYWHERE)('$kind', expectRestAndReturn, OUTAGE_MS_MAX)
})

describe.concurrent('a node that answers polls is found out by calls when it', () => {
  test.each(BROKEN_FOR_READS)('$kind', expectRestAndReturn, OUTAGE_MS_MAX)
})

describe.concurrent('one good node cures what the other says', () => {
  test.each(CURED_ELSEWHERE)(
    '%s',
    async (_kind, code, message) => {
      await outage(async ({ bad, good, journey }) => {
        saysOfReads(code, message)(bad)
        await journey.reads(60)
        expect(bad.callsOf('eth_getBalance')).toBeGreaterThan(0)
        expect(await journey.report('bad')).toMatchObject({ state: 'used', reason: 'healthy' })
        expect(good.callsOf('eth_getBalance')).toBeGreaterThanOrEqual(60)
      })
    },
    OUTAGE_MS_MAX,
  )

  test(
    'and a method that only one node lacks is asked of the other at once',
    async () => {
      await outage(async ({ bad, good, journey }) => {
        good.answers.debug_getRawBlock = '0xf9'
        const ask = () => journey.gate.post(rpc('debug_getRawBlock', ['latest']))
        for (let call = 0; call < 20; call++) expect((await ask()).json.result).toBe('0xf9')
        expect(bad.callsOf('debug_getRawBlock')).toBeLessThanOrEqual(1)
      })
    },
    OUTAGE_MS_MAX,
  )

  test(
    "and when all say the same, the caller gets the node's own words",
    async () => {
      await outage(async ({ bad, good, journey }) => {
        for (const node of [bad, good]) saysOfReads(-32000, 'header not found')(node)
        const { status: code, json } = await journey.gate.post(
          rpc('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'], 'mine'),
        )
        expect(code).toBe(200)
        expect(json).toEqual({
          jsonrpc: '2.0',
          id: 'mine',
          error: { code: -32000, message: 'header not found' },
        })
        expect(await journey.report('bad')).toMatchObject({ state: 'used' })
      })
    },
    OUTAGE_MS_MAX,
  )

  test(
    'and a node that rests is not waited for when another has spoken',
    async () => {
      await outage(async ({ bad, journey }) => {
        bad.misbehave = hang
        await journey.reported('bad', ({ state }) => state === 'excluded')
        const { json } = await journey.gate.post(rpc('made_up', []))
        expect(json.error.code).toBe(-32601)
        expect(bad.callsOf('made_up')).toBe(0)
      })
    },
    OUTAGE_MS_MAX,
  )
})

async function expectRestAndReturn({ spoil, reason, fault }: Bad): Promise<void> {
  await outage(async ({ bad, journey }) => {
    spoil(bad)
    await journey.reads(60)
    const told = await journey.reportedUnderLoad(
      'bad',
      (report) => reason.test(report.reason) && fault.test(report.last_fault ?? ''),
    )
    expect(told.state).toBe('excluded')
    // One that rests is tried again meanwhile, and for a moment the other may stand by.
    const carries = (told: { state: string; reason: string }) =>
      told.state === 'used' && told.reason === 'healthy'
    await journey.reportedUnderLoad('good', carries)
    await heal(bad)
    // The answer to a poll of before may be read only now, and be a short relapse.
    for (let round = 0; round < RELAPSES_MAX; round++) {
      await journey.reportedUnderLoad('bad', ({ state }) => state === 'used')
      const before = bad.callsOf('eth_getBalance')
      await journey.reads(20)
      if (bad.callsOf('eth_getBalance') > before) return
    }
    throw new Error('a node that came back is used, but never called')
  })
}

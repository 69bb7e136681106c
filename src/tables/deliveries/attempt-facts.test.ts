import { describe, expect, test } from 'bun:test'
import { HOSTILE_TEXTS } from '../../../tests/support/deliveries/webhook-store.ts'
import {
  type AttemptFacts,
  attemptsIn,
  LINE_END_CHARS,
  lastAttemptIn,
  lineOfAttempt,
} from './attempt-facts.ts'

const FACTS: AttemptFacts = {
  startedAtMs: 1_763_164_800_021,
  status: 200,
  fault: null,
  ms: { lookup: 1, connect: 8, tls: 12, answer: 31, total: 52 },
  bodyStart: 'ok',
  address: '93.184.215.14',
  queue: 'new',
}

const NO_ANSWER = { ...FACTS, status: null, address: null, bodyStart: '' }

/** Each with and without TLS, an answer and a fault. */
const VARIANTS: [string, AttemptFacts][] = [
  ['an answer over TLS', FACTS],
  ['an answer without TLS', { ...FACTS, ms: { ...FACTS.ms, tls: 0 } }],
  ['a fault over TLS', { ...NO_ANSWER, fault: 'timeout' }],
  ['a fault without TLS', { ...NO_ANSWER, fault: 'dns', ms: { ...FACTS.ms, tls: 0 } }],
  ['times that are no whole numbers', { ...FACTS, ms: { ...FACTS.ms, tls: 1e-7, total: 0.1 } }],
  ['the longest facts', { ...NO_ANSWER, fault: 'refused_address', queue: 'ordered' }],
]

describe('an attempt is stored and read again', () => {
  test.each(VARIANTS)('%s', (_name, facts) => {
    expect(attemptsIn(`${lineOfAttempt(facts)}\n`)).toEqual([facts])
  })

  test('with whatever the destination answered', () => {
    const all = HOSTILE_TEXTS.map((bodyStart) => ({ ...FACTS, bodyStart }))
    expect(attemptsIn(all.map((one) => `${lineOfAttempt(one)}\n`).join(''))).toEqual(all)
  })

  test('so that a version before reads its beginning as its own', () => {
    const line = lineOfAttempt({ ...FACTS, status: 503, fault: 'timeout' })
    const [startedAtMs, status, lookup, connect, answer, total, ...rest] = JSON.parse(line)
    expect([startedAtMs, status]).toEqual([FACTS.startedAtMs, 503])
    expect([lookup, connect, answer, total]).toEqual([1, 8, 31, 52])
    expect(rest.slice(0, 4)).toEqual(['ok', '93.184.215.14', 'new', 'timeout'])
  })

  test('as versions before wrote it: TLS is within the time to connect', () => {
    const lines = [
      '[5,503,1,20,31,52,"busy","93.184.215.14","new"]',
      '[6,null,1,20,31,52,"",null,"retry","timeout"]',
    ]
    expect(attemptsIn(`${lines.join('\n')}\n`)).toMatchObject([
      { status: 503, fault: null, ms: { connect: 20, tls: 0, total: 52 }, bodyStart: 'busy' },
      { status: null, fault: 'timeout', ms: { connect: 20, tls: 0 }, queue: 'retry' },
    ])
  })
})

describe('the last attempt is told by the end of all lines', () => {
  test.each(VARIANTS)('%s', (_name, facts) => {
    const { status, fault, ms } = facts
    const lines = `${lineOfAttempt(FACTS)}\n${lineOfAttempt(facts)}\n`
    const end = lines.slice(-LINE_END_CHARS)
    expect(lastAttemptIn(end)).toEqual({ status, fault, tookMs: ms.total })
  })

  test('and never by the words of a destination', () => {
    const forged = '"new",null,0,418,4]\n'
    for (const bodyStart of [...HOSTILE_TEXTS, forged, forged.repeat(100)]) {
      const end = `${lineOfAttempt({ ...FACTS, bodyStart })}\n`.slice(-LINE_END_CHARS)
      expect(lastAttemptIn(end)).toEqual({ status: 200, fault: null, tookMs: 52 })
    }
  })

  test('there is none before the first', () => {
    expect(lastAttemptIn('')).toBeNull()
  })

  test('not where a version before wrote it', () => {
    const forged = JSON.stringify('"new",null,0,418,4]\n')
    expect(lastAttemptIn(`[5,503,1,20,31,52,${forged},"::1","new"]\n`)).toBeUndefined()
    expect(lastAttemptIn('[5,null,1,20,31,52,"",null,"new","timeout"]\n')).toBeUndefined()
  })
})

import { describe, expect, test } from 'bun:test'
import { readTraceContext } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const OURS = '1122334455667788'
const GOOD = `00-${TRACE}-${PARENT}-01`

/** What goes on to an upstream. */
const passedOn = (traceparent: string, tracestate: string | null = null) =>
  readTraceContext(traceparent, tracestate, OURS)?.headers ?? null

describe('a trace', () => {
  test('goes on under its id, with a span of ours as the parent', () => {
    expect(readTraceContext(GOOD, null, OURS)).toEqual({
      traceId: TRACE,
      headers: { traceparent: `00-${TRACE}-${OURS}-01` },
    })
  })

  test.each([
    ['not sampled', '00', '00'],
    ['sampled', '01', '01'],
    ['sampled, with a random id', '03', '03'],
    ['flags that nobody has given a meaning', 'ff', '03'],
  ])('keeps the flags it knows: %s', (_title, flags, kept) => {
    expect(passedOn(`00-${TRACE}-${PARENT}-${flags}`)?.traceparent).toEndWith(`-${kept}`)
  })

  test('of a later version is read as far as ours goes', () => {
    expect(passedOn(`cc-${TRACE}-${PARENT}-01-what-comes-next`)).toEqual({
      traceparent: `00-${TRACE}-${OURS}-01`,
    })
  })

  test.each([
    ['nothing', ''],
    ['a word', 'trace'],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', GOOD.toUpperCase()],
    ['the version that is none', `ff-${TRACE}-${PARENT}-01`],
    ['more than its version has', `${GOOD}-00`],
    ['a dash too many', `${GOOD}-`],
    ['digits that are none', GOOD.replace('4bf9', '4bg9')],
    ['a short trace', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['a long parent', `00-${TRACE}-${PARENT}0-01`],
    ['two headers in one', `${GOOD}, ${GOOD}`],
    ['a space in front', ` ${GOOD}`],
    ['a line break', `${GOOD}\n`],
    ['a header of another', `${GOOD}\r\nx-api-key: 1`],
    ['a later version with a line break', `01-${TRACE}-${PARENT}-01-a\r\nx-api-key: 1`],
    ['a megabyte', `01-${TRACE}-${PARENT}-01-${'x'.repeat(1_048_576)}`],
  ])('that is %s is none', (_title, traceparent) => {
    expect(readTraceContext(traceparent, 'a=1', OURS)).toBeNull()
  })
})

describe('the state of a trace', () => {
  test.each([
    ['one member', 'congo=t61rcWkgMzE'],
    ['several', 'rojo=00f067aa0ba902b7, congo=t61rcWkgMzE,tenant@system=1'],
    ['an empty member, which is allowed', 'a=1,,b=2'],
    ['as much as all must pass on', `a=${'x'.repeat(253)},b=${'y'.repeat(254)}`],
  ])('goes on: %s', (_title, tracestate) => {
    expect(passedOn(GOOD, tracestate)?.tracestate).toBe(tracestate)
  })

  test.each([
    ['nothing', ''],
    ['spaces', '  '],
    ['no value', 'a='],
    ['no name', '=1'],
    ['no sign between', 'abc'],
    ['a capital', 'A=1'],
    ['another script', 'a=ж'],
    ['a line break', 'a=1\r\nx-api-key: 1'],
    ['a zero byte', 'a=\0'],
    ['33 members', Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(',')],
    ['more than 512 characters', `a=${'x'.repeat(254)},b=${'y'.repeat(256)}`],
    ['a megabyte', `a=${'x'.repeat(1_048_576)}`],
  ])('is left out, and the trace goes on: %s', (_title, tracestate) => {
    expect(passedOn(GOOD, tracestate)).toEqual({ traceparent: `00-${TRACE}-${OURS}-01` })
  })
})

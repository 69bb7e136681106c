import { describe, expect, test } from 'bun:test'
import {
  agoText,
  bytesText,
  countText,
  numberText,
  shortHash,
  spanText,
  timeText,
} from './formats.ts'
import { progressBar } from './progress-bar.ts'

describe('formats', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1234567.89, '1,234,567.89'],
    [-1234, '-1,234'],
    [
      '115792089237316195423570985008687907853',
      '115,792,089,237,316,195,423,570,985,008,687,907,853',
    ],
  ])('the number %s is %s', (value, text) => {
    expect(numberText(value)).toBe(text)
  })

  test.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [10 * 1024 ** 3, '10.0 GiB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })

  test.each([
    [-5, '0 ms'],
    [850, '850 ms'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_600_000 * 47, '47 h'],
    [3_600_000 * 48, '2 days'],
  ])('%d ms are %s', (ms, text) => {
    expect(spanText(ms)).toBe(text)
  })

  test('moments, counts and hashes are as people say them', () => {
    expect(agoText(1000, 13_000)).toBe('12 s ago')
    expect(agoText(1000, 1100)).toBe('just now')
    expect(agoText(190_000, 1000)).toBe('in 3 min')
    expect(timeText(1763164800000)).toBe('2025-11-15 00:00:00')
    expect([countText(1, 'block'), countText(2000, 'block')]).toEqual(['1 block', '2,000 blocks'])
    expect(shortHash(`0x${'ab'.repeat(32)}`)).toBe('0xababab…abab')
    expect(shortHash('0xab')).toBe('0xab')
  })

  test('a bar is never longer than it may be', () => {
    expect(progressBar(0.5, 4)).toBe('██░░  50 %')
    expect(progressBar(1, 4)).toBe('████ 100 %')
    expect(progressBar(-1, 4)).toBe('░░░░   0 %')
    expect(progressBar(7, 4)).toBe('████ 100 %')
  })
})

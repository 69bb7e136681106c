import { describe, expect, test } from 'bun:test'
import { refusesFullAnswer } from './refuses-full-answer.ts'

describe('an answer that is refused for its size may be had in parts', () => {
  test.each([
    [-32600, 'Too many accounts requested (500000 pubkeys), Please use getProgramAccountsV2'],
    [-32012, 'scan aborted: The accumulated scan results exceeded the limit'],
    [-32010, 'Tokenkeg… excluded from account secondary indexes; this RPC method unavailable'],
    [-32600, 'Request deprioritized due to number of accounts requested'],
    [-32602, 'getProgramAccounts without filters is not supported for this program.'],
    [-32000, 'Response is too big'],
    [-32000, 'response too large: exceeds 100MB limit'],
    [-32000, 'Request timed out'],
    [413, 'Payload Too Large'],
  ])('%d %s', (code, message) => {
    expect(refusesFullAnswer(code, message)).toBe(true)
  })
})

describe('what is said of the question itself is not asked again in parts', () => {
  test.each([
    [-32602, 'Invalid param: WrongSize'],
    [-32602, 'Too many filters provided; max 4'],
    [-32016, 'Minimum context slot has not been reached'],
    [-32600, 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64'],
    [-32601, 'Method not found'],
    [-32005, 'Node is behind by 42 slots'],
  ])('%d %s', (code, message) => {
    expect(refusesFullAnswer(code, message)).toBe(false)
  })
})

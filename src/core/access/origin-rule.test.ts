import { describe, expect, test } from 'bun:test'
import { allowsOrigin, originRuleText, parseOriginRule } from './origin-rule.ts'

function allows(rule: string, origin: string): boolean {
  const parsed = parseOriginRule(rule)
  if (!parsed) throw new Error('no rule')
  return allowsOrigin([parsed], origin)
}

describe('an allowed origin', () => {
  test.each([
    ['https://App.Example.com/', 'https://app.example.com'],
    ['https://app.example.com:443', 'https://app.example.com'],
    ['http://app.example.com:80', 'http://app.example.com'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['HTTPS://*.Example.com', 'https://*.example.com'],
    ['*.example.com', '*.example.com'],
    ['app.example.com:443', 'app.example.com:443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://[0:0:0:0:0:0:0:1]:3000', 'http://[::1]:3000'],
    ['chrome-extension://abcdefghij', 'chrome-extension://abcdefghij'],
  ])('%s is kept as %s', (written, usual) => {
    const rule = parseOriginRule(written)
    expect(rule && originRuleText(rule)).toBe(usual)
    expect(parseOriginRule(usual)).toEqual(rule)
  })

  test.each([
    ['https://app.example.com', 'https://app.example.com', true],
    ['https://app.example.com', 'http://app.example.com', false],
    ['https://app.example.com', 'https://app.example.com:8443', false],
    ['https://app.example.com', 'https://app.example.com.evil.example', false],
    ['https://app.example.com', 'https://evil.example/app.example.com', false],
    ['https://app.example.com', 'https://app.example.com@evil.example', false],
    ['https://app.example.com', 'https://app.example.com.', false],
    ['https://app.example.com', 'https://App.Example.com', true],
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'https://.example.com', false],
    ['https://*.example.com', 'https://evilexample.com', false],
    ['https://*.example.com', 'http://a.example.com', false],
    ['https://*.example.com:8443', 'https://a.example.com:8443', true],
    ['*.example.com', 'http://a.example.com:3000', true],
    ['*.example.com', 'https://a.example.com', true],
    ['*.example.com', 'ftp://a.example.com', false],
    ['app.example.com:443', 'https://app.example.com', true],
    ['app.example.com:443', 'http://app.example.com', false],
    ['localhost', 'http://localhost:5173', true],
    ['chrome-extension://abcdefghij', 'chrome-extension://abcdefghij', true],
    ['chrome-extension://abcdefghij', 'chrome-extension://another', false],
    ['*.example.com', 'null', false],
    ['*.example.com', '', false],
    ['*.example.com', `https://${'a.'.repeat(400)}example.com`, false],
  ])('%s and %s: %p', (rule, origin, expected) => expect(allows(rule, origin)).toBe(expected))

  test.each([
    '',
    '*',
    '*.',
    'https://',
    'https://*',
    'https://a.*.example.com',
    'https://app*.example.com',
    'https://app.example.com/path',
    'https://app.example.com?x',
    'https://app.example.com#x',
    'https://user@app.example.com',
    'https://app.example.com:0',
    'https://app.example.com:65536',
    'https://app.example.com:https',
    'https://app example.com',
    'https://app.example.com\\evil',
    'https://%61pp.example.com',
    'https://*.192.0.2.1',
    'https://*.[::1]',
    'https://[::1',
    '//app.example.com',
    'a'.repeat(600),
  ])('%p is none', (text) => expect(parseOriginRule(text)).toBeNull())

  test('`null`, the origin of a sandboxed page, is a host name as a rule and fits nothing', () => {
    expect(allows('null', 'null')).toBe(false)
  })
})

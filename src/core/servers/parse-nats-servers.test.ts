import { describe, expect, test } from 'bun:test'
import { parseNatsServers } from './parse-nats-servers.ts'

const plain = { isTlsRequired: false, login: null }

describe('the list of NATS servers', () => {
  test.each([
    ['nats://a', [{ ...plain, host: 'a', port: 4222 }]],
    ['nats://a:1', [{ ...plain, host: 'a', port: 1 }]],
    ['nats://a/', [{ ...plain, host: 'a', port: 4222 }]],
    ['nats://10.0.0.1:65535', [{ ...plain, host: '10.0.0.1', port: 65535 }]],
    ['nats://[::1]:4333', [{ ...plain, host: '::1', port: 4333 }]],
    [
      'nats://nats-0.nats_headless.svc',
      [{ ...plain, host: 'nats-0.nats_headless.svc', port: 4222 }],
    ],
    ['tls://a:80', [{ host: 'a', port: 80, isTlsRequired: true, login: null }]],
    [
      'nats://a, tls://b:4223 ,nats://c',
      [
        { ...plain, host: 'a', port: 4222 },
        { ...plain, host: 'b', port: 4223, isTlsRequired: true },
        { ...plain, host: 'c', port: 4222 },
      ],
    ],
    [
      'nats://me:secret@a',
      [{ ...plain, host: 'a', port: 4222, login: { user: 'me', password: 'secret' } }],
    ],
    [
      'nats://m%40e:a%2Cb%2525%3A%2F@a',
      [{ ...plain, host: 'a', port: 4222, login: { user: 'm@e', password: 'a,b%25:/' } }],
    ],
    ['nats://t0ken@a', [{ ...plain, host: 'a', port: 4222, login: { token: 't0ken' } }]],
  ])('%s', (text, servers) => {
    expect(parseNatsServers(text)).toEqual(servers)
  })

  test.each([
    '',
    ',',
    'nats://a,',
    ',nats://a',
    'nats://a,,nats://b',
    'a:4222',
    'nats:a',
    'nats:/a',
    'nats://',
    'nats://:4222',
    'nats:///a',
    'nats://a b',
    'nats://a\tb',
    'nats://a\n.example',
    'nats://a;nats://b',
    'nats://a:0',
    'nats://a:65536',
    'nats://a:-1',
    'nats://a:x',
    'nats://a/path',
    'nats://a?tls=false',
    'nats://a?',
    'nats://a#b',
    'nats://[::1',
    'nats://[::g]',
    'nats://::1',
    'nats://%61',
    'nats://-a',
    'nats://a.',
    `nats://${'a'.repeat(300)}`,
    'http://a',
    'ws://a',
    'wss://a',
    'postgres://a',
    'nats://:secret@a',
    'nats://me:50%secret@a',
    'nats://%@a',
    'nats://me:%ff@a',
    'nats://a\u0000',
    'nats://é',
    'javascript:alert(1)',
    Array(33).fill('nats://a').join(),
  ])('refuses %j', (text) => {
    expect(parseNatsServers(text)).toBeString()
  })

  test.each([
    'http://me:hunter2@a',
    'nats://me:hunter2@a:0',
    'nats://me:hunter2%@a',
    'nats://hunter2@a/b',
    'nats://me:hunter2@',
    'nats://me:hunter2/@a',
    'nats://me:hunter2#@a',
    'nats://me:hunt,er2@a',
    'nats://:hunter2@a',
  ])('does not repeat a password when it refuses %s', (text) => {
    const said = parseNatsServers(text)
    expect(said).toBeString()
    expect(said).not.toContain('hunt')
  })
})

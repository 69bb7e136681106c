import { expect, test } from 'bun:test'
import { postgresHosts, postgresServers } from './postgres-servers.ts'

test.each([
  ['postgres://db/headgate', ['postgres://db/headgate']],
  [
    'postgres://me:p%40ss@a,b:5433,[::1]:5434/headgate?sslmode=require',
    [
      'postgres://me:p%40ss@a/headgate?sslmode=require',
      'postgres://me:p%40ss@b:5433/headgate?sslmode=require',
      'postgres://me:p%40ss@[::1]:5434/headgate?sslmode=require',
    ],
  ],
  // Commas and at signs in a password belong to the password.
  ['postgresql://me:a,b@c@d,e/x', ['postgresql://me:a,b@c@d/x', 'postgresql://me:a,b@c@e/x']],
  ['postgres://a,,b/x', ['postgres://a/x', 'postgres:///x', 'postgres://b/x']],
  ['postgres://a,b/x?host=c,d', ['postgres://a/x?host=c,d', 'postgres://b/x?host=c,d']],
])('%s names its servers', (address, servers) => {
  expect(postgresServers(address)).toEqual(servers)
})

test('a text that is not an address names no host', () => {
  expect(postgresServers('mysql://a,b/x')).toEqual([''])
})

test('the hosts of an address are shown without its password', () => {
  expect(postgresHosts('postgres://me:hunter2@a:5432,b/headgate')).toBe('a:5432, b')
})

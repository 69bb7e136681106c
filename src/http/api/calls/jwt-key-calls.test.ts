import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createPublicKey } from 'node:crypto'
import { managementApi, START_MS } from '../../../../tests/management-api.ts'
import { newSigner } from '../../../../tests/support/product/access-tokens.ts'

let api: Awaited<ReturnType<typeof managementApi>>

beforeEach(async () => {
  api = await managementApi()
})

afterEach(() => api.close())

const KEYS = '/api/jwt-keys'
const SIGNER = newSigner('ES256')

function add(public_key: unknown, more: object = {}) {
  return api.call('POST', KEYS, { body: { name: 'Shop', public_key, ...more } })
}

describe('a key for tokens', () => {
  test('is registered as PEM or as JWK, listed and revoked', async () => {
    const first = await add(SIGNER.publicKey)
    expect(first.status).toBe(200)
    expect(first.body.data).toEqual({
      id: expect.stringMatching(/^jwk_[a-z0-9]{16}$/),
      name: 'Shop',
      algorithm: 'ES256',
      public_key: SIGNER.publicKey,
      time_created: START_MS,
    })
    const jwk = createPublicKey(SIGNER.publicKey).export({ format: 'jwk' })
    const second = await add({ ...jwk, kid: 'theirs', key_ops: ['verify'] })
    expect(second.body.data).toEqual({ ...first.body.data, id: expect.any(String) })
    expect(api.seen.changes).toBe(2)
    expect((await api.call('GET', KEYS)).body.data).toHaveLength(2)

    const { id } = first.body.data
    expect((await api.call('DELETE', `${KEYS}/${id}`)).body).toEqual({})
    expect((await api.call('GET', KEYS)).body).toEqual({ data: [second.body.data] })
    expect((await api.call('DELETE', `${KEYS}/${id}`)).status).toBe(404)
  })

  test('is never a private one, and the answer repeats nothing of it', async () => {
    const pem = String(SIGNER.privateKey.export({ format: 'pem', type: 'pkcs8' }))
    for (const given of [pem, SIGNER.privateKey.export({ format: 'jwk' })]) {
      const { status, body } = await add(given)
      expect([status, body.name]).toEqual([400, 'ValidationError'])
      expect(body.message).toStartWith('public_key is a private key.')
      expect(JSON.stringify(body)).not.toContain(pem.split('\n')[1] ?? '')
    }
    expect((await api.call('GET', KEYS)).body.data).toEqual([])
  })

  test.each([
    [undefined, 'public_key is required'],
    [7, 'public_key must be a string or an object'],
    [[], 'public_key must be a string or an object'],
    ['', 'public_key must not be empty'],
    ['x'.repeat(5000), 'public_key must have at most 4096 characters'],
    ['nothing', 'public_key must be one PEM block'],
    [{ kty: 'OKP', crv: 'X25519', x: 'AAAA' }, 'public_key is no public key'],
    [Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`m${at}`, 1])), 'at most 30'],
  ])('that is none is refused: %#', async (given, message) => {
    const { status, body } = await add(given)
    expect(status).toBe(400)
    expect(body.message).toContain(message)
  })
})

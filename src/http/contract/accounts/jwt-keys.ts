import { anyOf, choice, list, mapOf, record, text } from '../../../core/schema/schema.ts'
import * as conditional from '../conditional.ts'
import { lines, NAME, TIME_MS } from '../fields.ts'
import { body, data, ID, nothing, path, teamCall, under } from '../operation.ts'

/** A key of 4096 bits takes a fifth of it. */
const PUBLIC_KEY_CHARS_MAX = 4096

const JWK_MEMBERS_MAX = 30

export const JWT_KEY = record('JwtKey', {
  id: text({ pattern: '^jwk_[a-z0-9]{16}$', description: 'The `kid` of tokens it signs.' }),
  name: NAME,
  algorithm: choice(['RS256', 'ES256', 'EdDSA'], 'The `alg` of tokens it signs.'),
  public_key: text('The public key as PEM.'),
  time_created: TIME_MS,
})

const NEW_JWT_KEY = record('NewJwtKey', {
  name: NAME,
  public_key: anyOf(
    lines({ minLength: 1, maxLength: PUBLIC_KEY_CHARS_MAX }),
    mapOf({}, { maxProperties: JWK_MEMBERS_MAX }),
    'A public key: PEM that begins with `-----BEGIN PUBLIC KEY-----`, or a JWK as an object. RSA ' +
      'of 2048 to 4096 bits, EC on P-256, or Ed25519. A private key is refused.',
  ),
})

const PEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
`

const JWT_KEY_EXAMPLE = {
  id: 'jwk_5t7y9u1i3o6p8a2s',
  name: 'Shop front',
  algorithm: 'EdDSA',
  public_key: PEM,
  time_created: 1763164800000,
} as const

const KEY_ID = path('The key’s id.', ID, 'jwk_5t7y9u1i3o6p8a2s')

const NO_SUCH_KEY = { '404': '`NotFound`: the team has no key of this id.' }

/** Keys that sign JSON Web Tokens, for pages that must not hold the key of an app. */
export const JWT_KEY_CALLS = under('Apps', {
  listJwtKeys: teamCall('GET /api/jwt-keys', {
    summary: 'List the team’s keys for tokens',
    description: 'Public keys whose tokens are taken, oldest first.',
    answer: data('The keys.', list(JWT_KEY), [JWT_KEY_EXAMPLE]),
  }),

  createJwtKey: teamCall('POST /api/jwt-keys', {
    summary: 'Register a key for tokens',
    description:
      'A JSON Web Token that is signed with the private half and names an app of the team in ' +
      '`app` may call as that app, with `Authorization: Bearer <JWT>`, within a second. It must ' +
      'carry the `id` as its `kid`, and expire (`exp`) within 24 hours. A team may have 50 keys.',
    parameters: conditional.BY_NAME,
    body: body(NEW_JWT_KEY, { name: 'Shop front', public_key: PEM }),
    answer: conditional.tagged(data('The key.', JWT_KEY, JWT_KEY_EXAMPLE)),
    grows: 'always',
    errors: conditional.CONFLICT,
  }),

  getJwtKey: teamCall('GET /api/jwt-keys/{id}', {
    summary: 'Read a key for tokens',
    description: 'One public key, as it was registered.',
    parameters: { id: KEY_ID, ...conditional.IF_NONE_MATCH },
    answer: conditional.tagged(data('The key.', JWT_KEY, JWT_KEY_EXAMPLE)),
    errors: NO_SUCH_KEY,
  }),

  deleteJwtKey: teamCall('DELETE /api/jwt-keys/{id}', {
    summary: 'Revoke a key for tokens',
    description: 'Tokens that it has signed are refused with 401 within a second.',
    parameters: { id: KEY_ID, ...conditional.IF_MATCH },
    answer: nothing('Revoked.'),
    errors: { ...NO_SUCH_KEY, ...conditional.CHANGED_SINCE },
  }),
})

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export type Signer = { publicKey: string; privateKey: KeyObject; algorithm: string }

/** A new pair of keys that signs tokens. */
export function newSigner(algorithm: 'RS256' | 'ES256' | 'EdDSA' = 'EdDSA'): Signer {
  const { publicKey, privateKey } =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('ed25519')
  const pem = String(publicKey.export({ format: 'pem', type: 'spki' }))
  return { publicKey: pem, privateKey, algorithm }
}

/** A token as a team's own service makes it. */
export function tokenOf(
  { privateKey, algorithm }: Signer,
  keyId: string,
  claims: Readonly<Record<string, unknown>>,
  header: Readonly<Record<string, unknown>> = {},
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: algorithm, kid: keyId, ...header })}.${part(claims)}`
  const hash = algorithm === 'EdDSA' ? null : 'sha256'
  const signature = sign(hash, Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

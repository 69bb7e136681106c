import { nkeys } from '@nats-io/transport-node'

/** A server that knows its users by JWT, and the `.creds` file of one of them. */
export type NatsCredentials = { config: readonly string[]; credentials: string; seed: string }

type Signer = { sign(bytes: Uint8Array): Uint8Array; getPublicKey(): string }

/** An operator, an account and a user, each vouched for by the one before. */
export function makeNatsCredentials(): NatsCredentials {
  const operator = nkeys.createOperator()
  const account = nkeys.createAccount()
  const user = nkeys.createUser()
  const limits = { subs: -1, data: -1, payload: -1 }
  const operatorJwt = jwtOf(operator, operator, { type: 'operator' })
  const accountJwt = jwtOf(operator, account, {
    type: 'account',
    limits: { ...limits, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
  })
  const userJwt = jwtOf(account, user, { type: 'user', ...limits })
  const seed = new TextDecoder().decode(user.getSeed())
  return {
    config: [
      `operator: ${operatorJwt}`,
      'resolver: MEMORY',
      `resolver_preload: { ${account.getPublicKey()}: ${accountJwt} }`,
    ],
    credentials: [
      '-----BEGIN NATS USER JWT-----',
      userJwt,
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      seed,
      '------END USER NKEY SEED------',
      '',
    ].join('\n'),
    seed,
  }
}

function jwtOf(issuer: Signer, subject: Signer, nats: object): string {
  const claims = {
    jti: crypto.randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'test',
    nats: { ...nats, version: 2 },
  }
  const parts = [{ typ: 'JWT', alg: 'ed25519-nkey' }, claims]
  const text = parts
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = issuer.sign(new TextEncoder().encode(text))
  return `${text}.${Buffer.from(signature).toString('base64url')}`
}

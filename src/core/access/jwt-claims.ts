/** A token cannot be taken back by itself, so it may not last. */
const LIFETIME_S_MAX = 24 * 3600

/** Clocks of signers are so much off at most. */
const LEEWAY_S = 60

const APP_ID = /^app_[a-z0-9]{16}$/

/**
 * The claims that count of a token that may be used now at `audience`, or why it may not. Others,
 * such as `sub`, are the signer's own.
 */
export function readJwtClaims(
  claims: Readonly<Record<string, unknown>>,
  audience: string,
  nowMs: number,
): { appId: string; expiresAtMs: number } | string {
  const { app, aud, exp } = claims
  const nowS = nowMs / 1000
  if (typeof app !== 'string' || !APP_ID.test(app)) return 'has no "app", the id of an app'
  if (!isTime(exp)) return 'has no "exp", a number of seconds'
  if (nowS >= exp) return 'has expired'
  if (exp > nowS + LIFETIME_S_MAX + LEEWAY_S) return 'expires more than 24 hours from now'

  const early = earlyClaim(claims, nowS)
  if (early !== null) return early
  if (aud !== undefined && !isFor(aud, audience)) return 'is for another audience ("aud")'
  return { appId: app, expiresAtMs: exp * 1000 }
}

function earlyClaim({ nbf, iat }: Readonly<Record<string, unknown>>, nowS: number): string | null {
  if (nbf !== undefined && !isTime(nbf)) return 'has an "nbf" that is no number of seconds'
  if (iat !== undefined && !isTime(iat)) return 'has an "iat" that is no number of seconds'
  if (nbf !== undefined && nbf > nowS + LEEWAY_S) return 'is not valid yet ("nbf")'
  if (iat !== undefined && iat > nowS + LEEWAY_S) return 'was issued in the future ("iat")'
  return null
}

function isFor(aud: unknown, audience: string): boolean {
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

import { hashKey } from '../../core/access/hash-key.ts'
import { parseJwt } from '../../core/access/jwt.ts'
import { readJwtClaims } from '../../core/access/jwt-claims.ts'
import { Rejection } from '../../core/errors.ts'
import { openTwoGenerationMap } from '../../core/two-generation-map.ts'
import type { AppDirectory, Caller, JwtSigner } from '../../gateway/app-directory.ts'
import { demoClient } from '../../gateway/demo-limiter.ts'
import { isSignedBy } from '../../gateway/jwt-key.ts'
import type { Clock } from '../../ports/clock.ts'
import { windowLimiter } from '../edge/window-limiter.ts'

type Needs = {
  clock: Clock
  directory: Pick<AppDirectory, 'findApp' | 'findSigner'>
  /** The audience of tokens that name one. */
  publicUrl: string
}

/** A client whose address is asked for only where it matters. */
export type Addressed = { address(): string }

export type JwtCallers = {
  /** Hot path: answers at once, without a promise, for a token seen before. */
  find(token: string, client: Addressed): Caller | Rejection | Promise<Caller | Rejection>
}

type Verified = { keyId: string; appId: string; expiresAtMs: number }

type Found<Value> = Value | Rejection | Promise<Value | Rejection>

/** Tokens remembered in each of two generations; each browser of a busy page has its own. */
const VERIFIED_MAX = 50_000

const FORGED_MAX = 1000

/** An id that we gave. Others are not worth a look into the database. */
const KEY_ID = /^jwk_[a-z0-9]{16}$/

/**
 * Forged tokens of one address that are verified in a window. Verifying takes some 65 µs, and who
 * holds a registered key never fails.
 */
const FORGERIES = {
  countMax: 200,
  windowMs: 10_000,
  refusal: 'Too many tokens with wrong signatures came from this address; please wait.',
}

const NO_SIGNER = 'names a key ("kid") that is not registered'

const NO_APP = 'names an app ("app") that the team of its key does not have'

/**
 * Finds the app that a JSON Web Token speaks for. That a signature is good stays true, so it is
 * remembered by the token; whether its key and its app are still there is asked each time.
 */
export function openJwtCallers(needs: Needs): JwtCallers {
  const verified = openTwoGenerationMap<string, Verified>({ weightMax: VERIFIED_MAX })
  const forged = openTwoGenerationMap<string, true>({ weightMax: FORGED_MAX })
  const forgeries = windowLimiter(needs.clock, FORGERIES)

  const signerOf = (keyId: string): Found<JwtSigner> => {
    if (!KEY_ID.test(keyId)) return refused(NO_SIGNER)
    return named(needs.directory.findSigner(keyId), NO_SIGNER)
  }

  const verify = (token: string, hash: string, client: Addressed): Found<Verified> => {
    const jwt = parseJwt(token)
    if (typeof jwt === 'string') return refused(jwt)
    const claims = readJwtClaims(jwt.claims, needs.publicUrl, needs.clock.nowMs())
    if (typeof claims === 'string') return refused(claims)
    const { keyId } = jwt
    if (forged.get(hash)) return wrongSignature()

    return then(signerOf(keyId), (signer) => {
      if (signer.algorithm !== jwt.algorithm) {
        return refused(`must be signed with ${signer.algorithm}, as its key says`)
      }
      const sender = demoClient(client.address())
      const crowded = forgeries.refuse(sender)
      if (crowded) return crowded
      if (!isSignedBy(signer.key, signer.algorithm, jwt)) {
        forged.set(hash, true)
        forgeries.add(sender)
        return wrongSignature()
      }
      const found = { keyId, ...claims }
      verified.set(hash, found)
      return found
    })
  }

  const callerOf = ({ keyId, appId, expiresAtMs }: Verified): Found<Caller> => {
    if (needs.clock.nowMs() >= expiresAtMs) return refused('has expired')
    return then(signerOf(keyId), ({ teamId }) =>
      named(needs.directory.findApp(teamId, appId), NO_APP),
    )
  }

  return {
    find(token, client) {
      const hash = hashKey(token)
      const found = verified.get(hash) ?? verify(token, hash, client)
      return then(found, callerOf)
    },
  }
}

/** Goes on with what was found, without a promise where it was there at once. */
function then<From, To>(found: Found<From>, next: (from: From) => Found<To>): Found<To> {
  if (found instanceof Promise) return found.then((one) => then(one, next))
  return found instanceof Rejection ? found : next(found)
}

/** A key or an app that the directory does not know is named by its claim. */
function named<Value>(found: Found<Value>, why: string): Found<Value> {
  if (found instanceof Promise) return found.then((one) => named(one, why))
  const isUnknown = found instanceof Rejection && found.code === 'unauthorized'
  return isUnknown ? refused(why) : found
}

function wrongSignature(): Rejection {
  return refused('has a wrong signature')
}

function refused(why: string): Rejection {
  return new Rejection('unauthorized', `Must be authenticated! The JWT ${why}.`)
}

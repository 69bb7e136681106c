import { Rejection } from '../../core/errors.ts'
import { TOKEN_HEADER } from '../contract/openapi.ts'

/** The token that a request carries in whichever of the headers; null when in none. */
export function readToken(headers: Headers, further: readonly string[]): string | null | Rejection {
  let token: string | null = null
  let from = TOKEN_HEADER
  for (const name of [TOKEN_HEADER, ...further]) {
    const given = headers.get(name)
    if (!given || given === token) continue
    if (token !== null) {
      // Nobody can tell which of them was meant.
      const text = `The headers ${from} and ${name} carry different tokens.`
      return new Rejection('unauthorized', text)
    }
    token = given
    from = name
  }
  return token
}

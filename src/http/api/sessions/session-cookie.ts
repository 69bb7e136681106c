import { SESSION_MS_MAX } from '../../../tables/accounts/sessions.ts'
import { SESSION_COOKIE } from '../../contract/openapi.ts'

const SECRET = /^[a-z0-9]{32}$/

/** No script reads it, and no other site's page has it sent along. */
const ATTRIBUTES = 'HttpOnly; SameSite=Strict; Path=/'

export const CLEARED_COOKIE = `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`

export function sessionCookie(secret: string, isSecure: boolean): string {
  const maxAgeS = SESSION_MS_MAX / 1000
  return `${SESSION_COOKIE}=${secret}; ${ATTRIBUTES}; Max-Age=${maxAgeS}${isSecure ? '; Secure' : ''}`
}

/** The secret in the cookie of a session; empty when it cannot be one, null when there is none. */
export function readSessionCookie(headers: Headers): string | null {
  const header = headers.get('cookie')
  if (!header?.includes(SESSION_COOKIE)) return null
  let found: string | null = null
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (part.slice(0, Math.max(at, 0)).trim() !== SESSION_COOKIE) continue
    const value = part.slice(at + 1).trim()
    // Another host of the same site can set one of this name too: nobody can tell which is ours.
    if (found !== null && found !== value) return ''
    found = value
  }
  return found === null || SECRET.test(found) ? found : ''
}

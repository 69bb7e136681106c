import { expect } from 'bun:test'
import type { managementApi } from '../../management-api.ts'
import type { Answer, CallOptions } from './checked-call.ts'

type Api = Awaited<ReturnType<typeof managementApi>>

/** A browser that is signed in, with its page on the origin that it calls. */
export type Browser = {
  /** The session's id. */
  id: string
  /** The value of its Cookie header. */
  cookie: string
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

/** Signs in with a token, or with what the body says. */
export async function signedIn(api: Api, signIn: string | object): Promise<Browser> {
  const body = typeof signIn === 'string' ? { token: signIn } : signIn
  const answer = await api.call('POST', '/api/session', { token: '', body })
  expect(answer.status).toBe(200)
  const cookie = cookieOf(answer)
  const call: Browser['call'] = (method, path, { headers = {}, ...options } = {}) =>
    api.call(method, path, {
      token: '',
      ...options,
      headers: { cookie, origin: api.url, ...headers },
    })
  return { id: answer.body.data.id, cookie, call }
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: { headers: Headers }): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

/** The cookie that an answer sets, with its attributes in alphabetical order. */
export function attributesOf({ headers }: { headers: Headers }): string[] {
  return (headers.get('set-cookie') ?? '').split('; ').slice(1).sort()
}

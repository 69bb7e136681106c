import { expect } from 'bun:test'
import type { Answer } from './headgate.ts'

/** Stands in the address of every fake node, so nothing a client sees may hold it. */
const SECRET_OF_FAKE_NODES = 'secret-path-of-'

/** Checks the promises about every answer on the RPC path, whatever was asked. */
export function expectRpcAnswer(answer: Answer): void {
  const { headers, json, text } = answer
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('x-request-id')).toMatch(/^req_\w+$/)
  expect(headers.get('x-headgate-cu')).toMatch(/^\d+(\.\d\d)?$/)
  expect(shapeFault(json)).toBeNull()
  expectNoSecret(answer)
  expect(text).not.toContain('127.0.0.1')
}

/** Nothing of where an answer came from, but the upstream's configured name. */
export function expectNoSecret({ headers, text }: Pick<Answer, 'headers' | 'text'>): void {
  const all = `${text} ${JSON.stringify([...headers])}`
  expect(all).not.toContain(SECRET_OF_FAKE_NODES)
}

/** The fault of a JSON-RPC response or a batch of them; null when there is none. */
export function shapeFault(json: unknown): string | null {
  if (!Array.isArray(json)) return memberFault(json)
  if (json.length === 0) return 'an empty batch'
  return json.map(memberFault).find((fault) => fault !== null) ?? null
}

function memberFault(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return 'not an object'
  const { jsonrpc, id, result, error, ...rest } = json as Record<string, unknown>
  if (jsonrpc !== '2.0') return `jsonrpc is ${String(jsonrpc)}`
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return 'no id'
  if ((result === undefined) === (error === undefined)) return 'not one of result and error'
  if (Object.keys(rest).length > 0) return `more members: ${Object.keys(rest).join()}`
  if (error === undefined) return null
  const { code, message } = (error ?? {}) as Record<string, unknown>
  if (!Number.isInteger(code)) return 'error.code is no integer'
  return typeof message === 'string' ? null : 'error.message is no string'
}

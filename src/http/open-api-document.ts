import { OPEN_API } from './contract.ts'
import { type KeptReply, keepReply } from './kept-reply.ts'

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
} as const

/** The document of the API with the address of this instance in it. */
export function openApiReply(publicUrl: string): KeptReply {
  const servers = [{ url: publicUrl, description: 'This instance.' }]
  const text = () => JSON.stringify({ ...OPEN_API, servers })
  return keepReply(() => new Response(text(), { headers: HEADERS })).reply
}

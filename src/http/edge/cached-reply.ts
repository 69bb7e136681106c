import { type Coding, chooseCoding } from './choose-coding.ts'
import { compressedAtOnce } from './compress-answer.ts'

export type CachedReply = (headers: Headers) => Promise<Response>

type Kept = {
  headers: Headers
  tag: string
  /** By coding; the empty one is the text as it is. */
  bytes: Map<Coding | '', Uint8Array>
}

/**
 * Makes a reply when it is first asked for and keeps it, compressed too: asking for it again
 * costs next to nothing, however large it is.
 */
export function cacheReply(make: () => Response): CachedReply {
  let made: Promise<Kept> | null = null
  return async (headers) => {
    made ??= keptFrom(make())
    const kept = await made
    const coding = chooseCoding(headers.get('accept-encoding')) ?? ''
    const answered = new Headers(kept.headers)
    answered.set('etag', `"${kept.tag}${coding}"`)
    answered.set('vary', 'accept-encoding')
    if (isKnown(headers.get('if-none-match'), kept.tag)) {
      return new Response(null, { status: 304, headers: answered })
    }
    if (coding !== '') answered.set('content-encoding', coding)
    return new Response(bytesIn(kept, coding), { headers: answered })
  }
}

async function keptFrom(response: Response): Promise<Kept> {
  const bytes = await response.bytes()
  const tag = new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 32)
  return { headers: response.headers, tag, bytes: new Map([['', bytes]]) }
}

function bytesIn({ bytes }: Kept, coding: Coding | ''): Uint8Array {
  const plain = bytes.get('') ?? new Uint8Array()
  if (coding === '') return plain
  const compressed = bytes.get(coding) ?? compressedAtOnce(plain, coding)
  bytes.set(coding, compressed)
  return compressed
}

/** One client may hold the text in any coding: each of them is this text. */
function isKnown(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.trim() === '*' || ifNoneMatch.includes(`"${tag}`)
}

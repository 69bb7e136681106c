import { Rejection } from '../core/errors.ts'
import { nestsDeeperThan } from '../core/json-scan.ts'

/** 2.5 MiB, as for JSON-RPC. */
const BODY_BYTES_MAX = 2.5 * 1024 * 1024

const DEPTH_MAX = 64

/** The body as a JSON value; undefined when there is none. */
export async function readJsonBody(request: Request): Promise<unknown | Rejection> {
  const mediaType = request.headers.get('content-type')
  if (mediaType !== null && !isJsonType(mediaType)) {
    return new Rejection('unsupported_media_type', 'The content-type must be application/json.')
  }

  const bytes = await readBytes(request)
  if (bytes instanceof Rejection) return bytes
  const text = decode(bytes)
  if (text instanceof Rejection) return text
  if (text.trim() === '') return undefined

  // Looked at before parsing, because a deep body costs the parser its stack.
  if (nestsDeeperThan(text, DEPTH_MAX)) {
    return new Rejection('validation', `The body is nested deeper than ${DEPTH_MAX} levels.`)
  }
  return parseJson(text)
}

export function isJsonType(mediaType: string): boolean {
  // Hot path: what nearly every client sends.
  if (mediaType === 'application/json') return true
  const essence = (mediaType.split(';')[0] ?? '').trim().toLowerCase()
  return essence === 'application/json' || essence.endsWith('+json')
}

/**
 * Hot path: with a declared length the server has bounded the body already. Rejects
 * when the client hangs up; see `brokeOff`.
 */
export function readText(request: Request): Promise<string | Rejection> {
  const declared = request.headers.get('content-length')
  const bounded = declared !== null && Number(declared) <= BODY_BYTES_MAX
  return bounded ? request.text() : readUnbounded(request)
}

async function readUnbounded(request: Request): Promise<string | Rejection> {
  const bytes = await readBytes(request)
  // Drops a byte order mark, as `text` does.
  return bytes instanceof Rejection ? bytes : new TextDecoder().decode(bytes)
}

/** The body, whole or refused: nothing over the limit is held. */
async function readBytes(request: Request): Promise<Buffer | Rejection> {
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > BODY_BYTES_MAX) return tooLarge()
  if (!request.body) return Buffer.alloc(0)

  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of request.body) {
      bytes += chunk.byteLength
      if (bytes > BODY_BYTES_MAX) return tooLarge()
      chunks.push(chunk)
    }
  } catch {
    return brokeOff()
  }
  return Buffer.concat(chunks)
}

/** The client hung up. Nobody will read this, but it is no fault of ours to be logged. */
/** What is said of a body that ended early, though hardly anybody is there to hear it. */
export function brokeOff(): Rejection {
  return new Rejection('parse_error', 'The body broke off before its end.')
}

function decode(bytes: Uint8Array): string | Rejection {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new Rejection('validation', 'The body is not UTF-8.')
  }
}

function parseJson(text: string): unknown | Rejection {
  try {
    return JSON.parse(text)
  } catch {
    return new Rejection('validation', 'The body is not JSON.')
  }
}

function tooLarge(): Rejection {
  return new Rejection('too_large', `The body is over ${BODY_BYTES_MAX} bytes.`)
}

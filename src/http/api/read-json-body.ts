import { Rejection } from '../../core/errors.ts'
import { nestsDeeperThan } from '../../core/json/json-scan.ts'
import { isJsonType, type RequestBodies } from '../edge/request-bodies.ts'

const DEPTH_MAX = 64

/** The body as a JSON value; undefined when there is none. */
export async function readJsonBody(
  bodies: RequestBodies,
  request: Request,
): Promise<unknown | Rejection> {
  const mediaType = request.headers.get('content-type')
  if (mediaType !== null && !isJsonType(mediaType)) {
    return new Rejection('unsupported_media_type', 'The content-type must be application/json.')
  }

  const text = await bodies.text(request)
  if (text instanceof Rejection) return text
  if (text.trim() === '') return undefined

  // Looked at before parsing, because a deep body costs the parser its stack.
  if (nestsDeeperThan(text, DEPTH_MAX)) {
    return new Rejection('validation', `The body is nested deeper than ${DEPTH_MAX} levels.`)
  }
  return parseJson(text)
}

function parseJson(text: string): unknown | Rejection {
  try {
    return JSON.parse(text)
  } catch {
    return new Rejection('validation', 'The body is not JSON.')
  }
}

import { TOKEN_HEADER } from '../api/read-token.ts'
import { type CachedReply, cacheReply } from '../edge/cached-reply.ts'
import { OPEN_API } from './contract.ts'
import type { OpenApi } from './openapi.ts'

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
} as const

/** The document of the API with what this instance is configured to. */
export function openApiReply(publicUrl: string, tokenHeaders: readonly string[] = []): CachedReply {
  const text = () => JSON.stringify(documentOf(publicUrl, tokenHeaders))
  return cacheReply(() => new Response(text(), { headers: HEADERS })).reply
}

function documentOf(publicUrl: string, tokenHeaders: readonly string[]): OpenApi {
  const { components, paths } = OPEN_API
  const schemes = tokenHeaders.map((name) => {
    const description = `The same as \`${TOKEN_HEADER}\`, for clients that send this header.`
    return [name, { type: 'apiKey', in: 'header', name, description }] as const
  })
  const securitySchemes = { ...components.securitySchemes, ...Object.fromEntries(schemes) }
  const alternatives = tokenHeaders.map((name) => ({ [name]: [] }))
  return {
    ...OPEN_API,
    servers: [{ url: publicUrl, description: 'This instance.' }],
    paths: mapValues(paths, (methods) =>
      mapValues(methods, (operation) => {
        if (operation['x-audience'] === 'public') return operation
        return { ...operation, security: [...operation.security, ...alternatives] }
      }),
    ),
    components: { ...components, securitySchemes },
  }
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => T) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

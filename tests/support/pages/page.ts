/** A page of the dashboard as the server sees it: its cookie, and where it comes from. */
export type Page = {
  /** The cookie's secret. */
  secret: string
  call(method: string, path: string, options?: PageCall): Promise<PageAnswer>
}

type PageCall = { body?: unknown; url?: string; headers?: Record<string, string> }

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type PageAnswer = { status: number; headers: Headers; json: any }

/** Signs in at a running service, by a token or a link; later calls may go to another address. */
export async function openPage(url: string, signIn: object): Promise<Page> {
  const answer = await send('POST', `${url}/api/session`, { origin: url }, signIn)
  if (answer.status !== 200) throw new Error(`signing in: ${JSON.stringify(answer.json)}`)
  const [, secret = ''] = /^headgate_session=([^;]+)/.exec(setCookieOf(answer)) ?? []
  return {
    secret,
    call: (method, path, { body, url: at = url, headers = {} } = {}) =>
      send(
        method,
        at + path,
        { cookie: `headgate_session=${secret}`, origin: at, ...headers },
        body,
      ),
  }
}

export function setCookieOf({ headers }: { headers: Headers }): string {
  return headers.get('set-cookie') ?? ''
}

async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<PageAnswer> {
  const json = { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : json) },
    // Over a connection of its own, so that any process that listens may get it.
    keepalive: false,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, json: await response.json() }
}

/** A delivery with its attempts, as the API shows it. */
export type LoggedDelivery = {
  id: string
  webhook_id: string
  network: string
  kind: 'data' | 'error'
  status: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  replay: boolean
  attempts_made: number
  time_created: number
  time_due: number | null
  time_done: number | null
  body: string | null
  attempts: Record<string, unknown>[]
}

export type ListedDelivery = Omit<LoggedDelivery, 'body' | 'attempts'>

/** Calls the management API in somebody's name; the answer's JSON. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
export type Api = (method: string, path: string, body?: unknown) => Promise<any>

const SMALL_PAGE = 20

/** A token may make so many calls a second. */
const TOO_MANY = 429
const PATIENCE_MS = 50

export function apiOf(url: string, token: string): Api {
  return async (method, path, body) => {
    const ask = () =>
      fetch(url + path, {
        method,
        headers: { 'x-service-token': token, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    let response = await ask()
    for (; response.status === TOO_MANY; response = await ask()) await Bun.sleep(PATIENCE_MS)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
}

/** All pages of the team's log, newest first. */
export async function listLog(api: Api, query = '', limit = 100): Promise<ListedDelivery[]> {
  const listed: ListedDelivery[] = []
  for (let cursor = ''; ; ) {
    const page = await api('GET', `/api/deliveries?limit=${limit}${query}${cursor}`)
    listed.push(...page.data)
    const { after } = page.pagination.cursors
    if (after === undefined) return listed
    cursor = `&cursor=${encodeURIComponent(after)}`
  }
}

/** Every delivery of the team with its attempts, newest first. */
export async function wholeLog(api: Api): Promise<LoggedDelivery[]> {
  const details: LoggedDelivery[] = []
  for (const { id } of await listLog(api, '', SMALL_PAGE)) {
    details.push((await api('GET', `/api/deliveries/${id}`)).data)
  }
  return details
}

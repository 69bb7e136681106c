import { expect } from 'bun:test'
import type { WireArrival, WireDevnet, WireInbox } from '../../../src/http/contract/contract.ts'
import { devnetChain } from '../devnet/devnet-chain.ts'
import { type Answer, callAndCheck } from '../product/checked-call.ts'
import { type TestHeadgate, until } from '../product/headgate.ts'

type Page = {
  inbox: WireInbox
  data: WireArrival[]
  pagination: { cursors: { before?: number } }
}

/** Local development as its page sees it; every answer is held against the contract. */
export function localInbox(headgate: TestHeadgate) {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const options = { token: headgate.teamToken, body }
    let answer = await callAndCheck(headgate.url, method, path, options)
    // A test of many small steps may ask more often than a token is allowed to.
    while (answer.status === 429) {
      await Bun.sleep(200)
      answer = await callAndCheck(headgate.url, method, path, options)
    }
    return answer
  }
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body)
    expect(answer).toMatchObject({ status: 200 })
    return answer.body
  }
  const page = (name: string, query = ''): Promise<Page> =>
    done('GET', `/api/inboxes/${name}${query}`)

  return {
    call,
    page,
    ...devnetCalls(done),
    inboxes: async (): Promise<WireInbox[]> => (await done('GET', '/api/inboxes')).data,
    set: async (name: string, body: object): Promise<WireInbox> =>
      (await done('PUT', `/api/inboxes/${name}`, body)).data,
    empty: async (name: string): Promise<WireInbox> =>
      (await done('DELETE', `/api/inboxes/${name}`)).data,

    /** A webhook to that inbox, whose first delivery is of the next block. */
    async createWebhook(name: string, more: object = {}) {
      await devnetChain(headgate).untilFollowed()
      const created = await done('POST', '/api/create-webhook', {
        network: 'ETH_DEVNET',
        webhook_type: 'GRAPHQL',
        webhook_url: `${headgate.url}/inbox/${name}`,
        graphql_query: '{ block { number hash } }',
        ...more,
      })
      return created.data as { id: string; signing_key: string }
    },

    async webhook(id: string) {
      const listed = (await done('GET', '/api/team-webhooks')).data as { id: string }[]
      return listed.find((one) => one.id === id)
    },

    /** Waits for an arrival that is so. */
    async arrival(name: string, isIt: (one: WireArrival) => boolean, what: string) {
      let found: WireArrival | undefined
      await until(async () => {
        found = (await page(name)).data.find(isIt)
        return found !== undefined
      }, what)
      return found as WireArrival
    },

    /** What anybody may send there. */
    post: (
      name: string,
      body: string | Uint8Array<ArrayBuffer>,
      headers: Record<string, string> = {},
    ) => fetch(`${headgate.url}/inbox/${name}`, { method: 'POST', body, headers }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Done = (method: string, path: string, body?: unknown) => Promise<any>

/** The calls of the chain, each of which is to work. */
function devnetCalls(done: Done) {
  const devnet = async (method: string, step: string, body?: object): Promise<WireDevnet> =>
    (await done(method, `/api/devnet${step}`, body)).data
  return {
    state: () => devnet('GET', ''),
    change: (body: object) => devnet('PATCH', '', body),
    mine: (blocks = 1) => devnet('POST', '/mine', { blocks }),
    drop: (height: number) => devnet('POST', '/drop', { height }),
    reorganise: (body: object) => devnet('POST', '/reorganise', body),
    send: async (body: object) => (await done('POST', '/api/devnet/send', body)).data,
  }
}

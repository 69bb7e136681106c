/** Something that a node answers, which a test may change. */
type Bend = (method: string, result: unknown) => unknown

/** A node before a real chain: it passes on what that answers, bent as the test says. */
export type BendingNode = {
  url: string
  bend: Bend
  stop(): Promise<void>
}

type Reply = { id: unknown; result?: unknown }
type Call = { id: unknown; method: string }

export function startBendingNode(chainUrl: string): BendingNode {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.text()
      const asked = JSON.parse(body) as Call | Call[]
      const answer = await fetch(chainUrl, { method: 'POST', body })
      const reply = (await answer.json()) as Reply | Reply[]
      const calls = new Map([asked].flat().map(({ id, method }) => [id, method]))
      for (const one of [reply].flat()) {
        if ('result' in one) one.result = node.bend(calls.get(one.id) ?? '', one.result)
      }
      return Response.json(reply)
    },
  })
  const node: BendingNode = {
    url: `http://127.0.0.1:${server.port}`,
    bend: (_method, result) => result,
    stop: () => server.stop(true),
  }
  return node
}

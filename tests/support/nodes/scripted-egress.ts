import type { Egress, EgressOutcome, EgressRequest } from '../../../src/ports/egress.ts'

type Reply = Partial<EgressOutcome>

/** A POST as a destination sees it. */
export type Sent = EgressRequest & {
  /** The body, read. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  json: any
  /** Answers one that the script left open; the first answer counts. */
  answer(reply: Reply): void
}

/** Destinations that answer on command. */
export type ScriptedEgress = Egress & {
  sent: Sent[]
  /** What comes back at once; null leaves the request open until `answer`. */
  script(request: EgressRequest): Reply | null
  open(): number
}

const ACCEPTED: EgressOutcome = {
  status: 200,
  fault: null,
  retryAfter: null,
  bodyStart: 'ok',
  address: '192.0.2.1',
  ms: { lookup: 0, connect: 1, tls: 0, answer: 2, total: 3 },
}

/** As when nothing came back. */
export function lost(fault: EgressOutcome['fault']): Reply {
  return { status: null, fault, bodyStart: '', address: null }
}

export function scriptedEgress(): ScriptedEgress {
  let open = 0
  const egress: ScriptedEgress = {
    sent: [],
    script: () => ({}),
    open: () => open,
    vet: async () => null,
    post: (request) =>
      new Promise((resolve) => {
        open += 1
        let isOpen = true
        const answer = (reply: Reply) => {
          if (isOpen) open -= 1
          isOpen = false
          resolve({ ...ACCEPTED, ...reply })
        }
        egress.sent.push({ ...request, json: JSON.parse(request.body), answer })
        const reply = egress.script(request)
        if (reply) answer(reply)
      }),
    close() {},
  }
  return egress
}

import { Failure, Rejection } from '../../../../src/core/errors.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import type {
  DevnetControl,
  DevnetNode,
  DevnetSent,
  DevnetState,
} from '../../../../src/ports/devnet-control.ts'
import type { Outbound } from '../../../../src/ports/outbound.ts'

type Needs = { clock: Clock; outbound: Outbound }

type Answer<T> = { result: T } | { error: { message: string } }

/** Far longer than the deepest reorganisation takes; a trace of somebody else may be in the way. */
const ANSWER_MS_MAX = 15_000

/** A block that is full of traffic takes most of this, on a machine that is busy. */
const MINE_MS_MAX = 1_000

/** The chain repeats what it was sent, which may be long. */
const MESSAGE_CHARS_MAX = 500

const HEADERS = { 'content-type': 'application/json' }

/** Controls the development chain in its own process. */
export function openEvmControl(
  needs: Needs,
  url: string,
  network: string,
  nodeNames: readonly string[],
): DevnetControl {
  const ask = <T>(method: string, wanted: object, answerMsMax?: number) =>
    askChain<T>(needs, url, method, wanted, answerMsMax)
  const askNodes = async (method: string, wanted: object) => {
    const changed = await ask<DevnetNode[]>(method, wanted)
    return changed instanceof Rejection ? changed : nodeNames.map((name) => nodeIn(changed, name))
  }
  return {
    network,
    state: () => ask<DevnetState>('headgate_state', {}),
    mine: (blocks) =>
      ask<DevnetState>('headgate_mine', { blocks }, ANSWER_MS_MAX + blocks * MINE_MS_MAX),
    reorganise: (wanted) => ask<DevnetState>('headgate_reorganise', wanted),
    drop: (height) => ask<DevnetState>('headgate_drop', { height }),
    change: (wanted) => ask<DevnetState>('headgate_change', wanted),
    send: ({ kind, to, value }) =>
      ask<DevnetSent>('headgate_send', {
        kind,
        ...(to !== null && { to }),
        ...(value !== null && { value }),
      }),
    nodes: () => askNodes('headgate_nodes', {}),
    changeNode: (name, { behaviour, blocks }) =>
      askNodes('headgate_setNode', { name, behaviour, ...(blocks > 0 && { blocks }) }),
    stall: (ms) => askNodes('headgate_stall', { ms }),
  }
}

/** A node that nobody has changed answers truly. */
function nodeIn(changed: readonly DevnetNode[], name: string): DevnetNode {
  return changed.find((node) => node.name === name) ?? { name, behaviour: 'honest', blocks: 0 }
}

/** Asks a development chain for one of its controls, in words of its own where it refuses. */
export async function askChain<T>(
  needs: Needs,
  url: string,
  method: string,
  wanted: object,
  answerMsMax = ANSWER_MS_MAX,
): Promise<T | Rejection> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [wanted] })
  const text = await posted(needs, url, body, answerMsMax).catch(silence)
  if (text instanceof Rejection) return text

  const answer = JSON.parse(text) as Answer<T>
  if ('result' in answer) return answer.result
  const message = answer.error.message.slice(0, MESSAGE_CHARS_MAX)
  return new Rejection('validation', message.endsWith('.') ? message : `${message}.`)
}

/** The chain's answer as text; throws a Failure when it does not come. */
export async function posted(
  { clock, outbound }: Needs,
  url: string,
  body: string,
  answerMsMax = ANSWER_MS_MAX,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const request = { url, body, headers: HEADERS, callHeaders: null, repeatable: false }
  const giveUp = outbound.post(request, {
    answered: (answer) => void answer.text().then(resolve, reject),
    lost: reject,
  })
  const cancel = clock.after(answerMsMax, () => {
    reject(new Failure('upstream_timed_out', { part: 'development chain' }))
    giveUp()
  })
  return promise.finally(cancel)
}

function silence(thrown: unknown): Rejection {
  if (!(thrown instanceof Failure)) throw thrown
  return new Rejection('upstream_failed', 'The development chain does not answer.')
}

import { Failure, Rejection } from '../../../../src/core/errors.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import type {
  DevnetControl,
  DevnetSent,
  DevnetState,
} from '../../../../src/ports/devnet-control.ts'
import type { Outbound } from '../../../../src/ports/outbound.ts'

type Needs = { clock: Clock; outbound: Outbound }

type Answer<T> = { result: T } | { error: { message: string } }

/** Far longer than the deepest reorganisation takes; a trace of somebody else may be in the way. */
const ANSWER_MS_MAX = 15_000

/** The chain repeats what it was sent, which may be long. */
const MESSAGE_CHARS_MAX = 500

const HEADERS = { 'content-type': 'application/json' }

/** Controls the development chain in its own process. */
export function openEvmControl(needs: Needs, url: string, network: string): DevnetControl {
  const ask = <T>(method: string, wanted: object) => askChain<T>(needs, url, method, wanted)
  return {
    network,
    state: () => ask<DevnetState>('headgate_state', {}),
    mine: (blocks) => ask<DevnetState>('headgate_mine', { blocks }),
    reorganise: (wanted) => ask<DevnetState>('headgate_reorganise', wanted),
    drop: (height) => ask<DevnetState>('headgate_drop', { height }),
    change: (wanted) => ask<DevnetState>('headgate_change', wanted),
    send: ({ kind, to, value }) =>
      ask<DevnetSent>('headgate_send', {
        kind,
        ...(to !== null && { to }),
        ...(value !== null && { value }),
      }),
  }
}

async function askChain<T>(
  needs: Needs,
  url: string,
  method: string,
  wanted: object,
): Promise<T | Rejection> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [wanted] })
  const text = await posted(needs, url, body).catch(silence)
  if (text instanceof Rejection) return text

  const answer = JSON.parse(text) as Answer<T>
  if ('result' in answer) return answer.result
  const message = answer.error.message.slice(0, MESSAGE_CHARS_MAX)
  return new Rejection('validation', message.endsWith('.') ? message : `${message}.`)
}

async function posted({ clock, outbound }: Needs, url: string, body: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const request = { url, body, headers: HEADERS, callHeaders: null, repeatable: false }
  const giveUp = outbound.post(request, {
    answered: (answer) => void answer.text().then(resolve, reject),
    lost: reject,
  })
  const cancel = clock.after(ANSWER_MS_MAX, () => {
    reject(new Failure('upstream_timed_out', { part: 'development chain' }))
    giveUp()
  })
  return promise.finally(cancel)
}

function silence(thrown: unknown): Rejection {
  if (!(thrown instanceof Failure)) throw thrown
  return new Rejection('upstream_failed', 'The development chain does not answer.')
}

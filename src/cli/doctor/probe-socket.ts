import { within } from '../../core/async/within.ts'
import type { Network, UpstreamSpec } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sockets } from '../../ports/sockets.ts'
import { readHeadMessage } from '../../upstream/heads/subscribe-to-heads.ts'
import { withoutCredentials } from '../../upstream/node/without-credentials.ts'

const SOCKET_MS_MAX = 8000
const MESSAGE_CHARS_MAX = 1024 * 1024

/** Subscribes to new heads, or slots; `works`, `none` without an address, or why not. */
export async function probeSocket(
  { clock, sockets }: { clock: Clock; sockets: Sockets },
  { kind }: Pick<Network, 'kind'>,
  { ws, headers = {} }: UpstreamSpec,
): Promise<string> {
  if (ws === undefined) return 'none'
  const outcome = Promise.withResolvers<string>()
  const [method, params] = kind === 'evm' ? ['eth_subscribe', ['newHeads']] : ['slotSubscribe', []]
  const socket = sockets.open(
    { ...withoutCredentials(ws, headers), messageCharsMax: MESSAGE_CHARS_MAX },
    {
      opened: () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
      received(text) {
        const message = readHeadMessage(text)
        if (message?.kind !== 'answer' || message.id !== 1) return
        outcome.resolve(message.result === undefined ? 'refuses to subscribe' : 'works')
      },
      closed: (reason) => outcome.resolve(reason),
    },
  )
  const said = await within(clock, SOCKET_MS_MAX, outcome.promise, () => 'timed_out')
  socket.close()
  return said
}

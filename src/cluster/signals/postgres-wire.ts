import { openBackoff } from '../../core/async/backoff.ts'
import { openWakeableSleep } from '../../core/async/wakeable-sleep.ts'
import { errorText, Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Entropy } from '../../ports/entropy.ts'
import { openPostgresLink, type PostgresLink } from './postgres-link.ts'
import type { SignalWire, WireNotice } from './relayed-signals.ts'

type Needs = { clock: Pick<Clock, 'after' | 'every'>; entropy: Pick<Entropy, 'alphanumeric'> }

const WAIT_MS = { minMs: 100, maxMs: 2000 }

/**
 * The server's own notifications. Connects for ever, and never keeps a text for later: without a
 * connection it is lost at once.
 */
export function openPostgresWire(
  needs: Needs,
  url: string,
  hear: (text: string) => void,
  notice: WireNotice,
): SignalWire {
  const waits = openWakeableSleep(needs.clock)
  const backoff = openBackoff(WAIT_MS)
  let link: PostgresLink | null = null
  let isClosed = false

  const useServer = async () => {
    const opened = await openPostgresLink(needs, url, hear)
    if (isClosed) return opened.close()
    link = opened
    notice.back()
    backoff.reset()
    const reason = await opened.ended
    link = null
    // Not waited for: to a server that is cut off this would take long.
    opened.close().catch(() => {})
    if (!isClosed) notice.away(reason)
  }

  const run = async () => {
    while (!isClosed) {
      await useServer().catch((thrown) => notice.away(errorText(thrown)))
      await waits.pause(backoff.nextMs())
    }
  }
  run()

  return {
    async send(text) {
      if (!link) throw new Failure('signals_unavailable', { reason: 'not connected' })
      await link.send(text)
    },
    async close() {
      isClosed = true
      waits.close()
      await link?.close()
    },
  }
}

import { serial } from '../../core/async/serial.ts'
import { errorText } from '../../core/errors.ts'
import type { Network } from '../../core/network.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import type { NetworkSet } from './network-set.ts'

type Running<T> = { service: NetworkService; value: T }

type Lifecycle<T> = {
  kind: Network['kind']
  /** The event that an operator reads when one of them cannot be opened or closed. */
  failedEvent: string
  open(service: NetworkService): T | Promise<T>
  close(value: T): Promise<void>
}

/**
 * Keeps one thing running for each network of a kind that is served, through reloads too. A
 * network whose thing cannot be opened goes without it until the next reload, and holds up no
 * other network.
 */
export function perNetwork<T>(
  telemetry: Telemetry,
  networks: Pick<NetworkSet, 'subscribe'> & { list(): readonly NetworkService[] },
  { kind, failedEvent, open, close }: Lifecycle<T>,
) {
  const running = new Map<string, Running<T>>()
  // Changes come one after the other, so that nothing is ever opened twice.
  const inTurn = serial()

  const attempt = async (network: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (thrown) {
      telemetry.log('error', failedEvent, { network, reason: errorText(thrown) })
    }
  }
  const end = (id: string, { value }: Running<T>) => {
    running.delete(id)
    return attempt(id, () => close(value))
  }
  const reconcile = async () => {
    const served = networks.list().filter(({ network }) => network.kind === kind)
    for (const [id, one] of running) if (!served.includes(one.service)) await end(id, one)
    for (const service of served) {
      const { id } = service.network
      if (running.has(id)) continue
      await attempt(id, async () => void running.set(id, { service, value: await open(service) }))
    }
  }
  const changed = () => void inTurn(reconcile)
  changed()
  const unsubscribe = networks.subscribe(changed)

  return {
    byId: (networkId: string): T | null => running.get(networkId)?.value ?? null,
    /** Null also while the thing of an earlier configuration of the network still runs. */
    of(service: NetworkService): T | null {
      const one = running.get(service.network.id)
      return one?.service === service ? one.value : null
    },
    /** Waits for a change under way, then closes everything. */
    async stop(): Promise<void> {
      unsubscribe()
      await inTurn(() => Promise.all([...running].map(([id, one]) => end(id, one))))
    },
  }
}

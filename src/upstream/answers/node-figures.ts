import { newTally } from '../node/upstream-tally.ts'
import type { NetworkService } from './ask-network.ts'

/** Takes what was counted at the upstreams since it was last taken. */
export function takeNodeFigures(services: readonly NetworkService[]) {
  return services.flatMap(({ network, pool }) =>
    [...pool.selection.upstreams, ...pool.relays].flatMap((upstream) => {
      const { tally, spec } = upstream
      if (tally.calls === 0) return []
      upstream.tally = newTally()
      return [{ network: network.id, upstream: spec.name, ...tally }]
    }),
  )
}

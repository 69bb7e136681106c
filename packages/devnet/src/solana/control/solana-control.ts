import type { Clock } from '../../../../../src/ports/clock.ts'
import type {
  SolanaDevnetControl,
  SolanaDevnetState,
} from '../../../../../src/ports/local/solana-devnet-control.ts'
import type { Outbound } from '../../../../../src/ports/outbound.ts'
import { askChain } from '../../evm/evm-control.ts'

type Needs = { clock: Clock; outbound: Outbound }

/** Controls the development ledger in its own process. */
export function openSolanaControl(needs: Needs, url: string, network: string): SolanaDevnetControl {
  const pace = (wanted: object) =>
    askChain<SolanaDevnetState>(needs, url, 'headgate_setPace', wanted)
  return { network, state: () => pace({}), change: pace }
}

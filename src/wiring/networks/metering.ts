import { openCallFigures } from '../../metering/call-figures.ts'
import { openSpendGuard } from '../../metering/spend-guard.ts'
import { openSpendLedger } from '../../metering/spend-ledger.ts'
import { openUsageMeter } from '../../metering/usage-meter.ts'
import { takeNodeFigures } from '../../upstream/answers/node-figures.ts'
import type { RpcInputs } from '../service-inputs.ts'

/** Opens what counts calls: the teams' spending, the bill, how calls went, what vendors cost. */
export function openMetering(inputs: RpcInputs, opened: AsyncDisposableStack) {
  const { drivers, settings, networks, publicUrl, exchange } = inputs
  const { clock, database, entropy, telemetry } = drivers
  const guard = openSpendGuard({ clock, database, tiers: settings.tiers, publicUrl, exchange })
  opened.defer(guard.stop)
  const writer = `writer_${entropy.alphanumeric(16)}`
  const refresh = () => guard.refresh()
  const record = inputs.recordUsage
  const figures = openCallFigures({ clock, takeNodes: () => takeNodeFigures(networks.list()) })
  const spends = openSpendLedger({ clock, database, spends: networks.spends })
  if (exchange) opened.defer(networks.spends.share(exchange))
  const counted = { exchange, figures, spends }
  const meter = openUsageMeter({ clock, telemetry, ...counted, record, writer, refresh })
  opened.defer(() => {
    meter.stop()
    return meter.flush()
  })
  return { guard, meter, figures }
}

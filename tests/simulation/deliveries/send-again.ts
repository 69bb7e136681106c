import { resendDelivery } from '../../../src/tables/deliveries/resend-delivery.ts'
import { createReplay, recordReplayStep } from '../../../src/tables/webhooks/replays.ts'
import { NETWORK } from '../sim-store.ts'
import { type Act, newSecret, pick, pickWebhook } from './customer-act.ts'
import { OFFICE, wallOf } from './delivery-run.ts'
import { resultOf } from './event-source.ts'

export const resend: Act = async ({ run, chance, database, changed }) => {
  const all = [...run.book.deliveries.values()].filter(({ row }) => row.state !== 'waiting')
  const row = pick(chance, all)?.row
  if (!row) return
  const done = await resendDelivery(database, row.team_id, row.id, wallOf(run, OFFICE))
  run.trace.note(OFFICE, 'resends', row.id, done)
  changed(row.webhook_id)
}

export const replay: Act = async (needs) => {
  const { run, chance, database, source, changed } = needs
  const webhook = pickWebhook(needs)
  const block = pick(chance, source.blocks)
  if (!webhook || !block) return
  const { id: webhookId, team_id: teamId } = webhook.row
  const { number: blockNumber, hash: blockHash, sequenceNumber } = block
  const id = `rpl_${newSecret(chance)}`
  const span = { fromBlock: blockNumber, toBlock: blockNumber, createdAtMs: wallOf(run, OFFICE) }
  const isNew = await createReplay(database, { id, teamId, webhookId, network: NETWORK, ...span })
  if (!isNew) return
  const due = resultOf(chance, blockNumber, id)
  run.recording.set(OFFICE, [{ ...due, webhookIds: [webhookId] }])
  const what = { replayId: id, webhookId, network: NETWORK, blockNumber, blockHash, sequenceNumber }
  const done = await recordReplayStep(database, { ...what, due, atMs: wallOf(run, OFFICE) })
  run.trace.note(OFFICE, 'replays', blockNumber, 'to', webhookId, done)
  changed(webhookId)
}

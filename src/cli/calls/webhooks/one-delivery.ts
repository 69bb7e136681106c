import type { WireAttempt } from '../../../http/contract/contract.ts'
import type { Calling } from '../../connect/run-call.ts'
import { readExactJson } from '../../terminal/exact-json.ts'
import { bytesText, spanText, timeText } from '../../terminal/formats.ts'

/** Shows one delivery with its body and every attempt. */
export async function showOneDelivery({ client, terminal }: Calling, id: string): Promise<void> {
  const { data } = await client.call('getDelivery', { parameters: { id } })
  terminal.show(data, () => {
    terminal.facts([
      ['delivery', data.id],
      ['webhook', data.webhook_id],
      ['network', data.network],
      ['block', data.block_number === null ? null : `${data.block_number}  ${data.block_hash}`],
      ['sequence', data.sequence_number],
      ['status', data.status],
      ['created', `${timeText(data.time_created)} UTC`],
      ['next attempt', data.time_due === null ? null : `${timeText(data.time_due)} UTC`],
      ['size', data.bytes === null ? null : bytesText(data.bytes)],
    ])
    if (data.attempts.length > 0) {
      terminal.say('')
      terminal.table<WireAttempt>(
        [
          { title: 'attempt', of: ({ time_started }) => `${timeText(time_started)} UTC` },
          { title: 'answer', of: ({ status_code, fault }) => fault ?? status_code },
          { title: 'took', of: ({ ms }) => spanText(ms.total), align: 'right' },
          { title: 'queue', of: ({ queue }) => queue },
          { title: 'address', of: ({ address }) => address },
          { title: 'said', of: ({ response_start }) => response_start, cut: 'end' },
        ],
        data.attempts,
      )
    }
    if (data.body === null) return
    terminal.say('')
    try {
      terminal.json(readExactJson(data.body))
    } catch {
      terminal.say(data.body)
    }
  })
}

/** Sends a delivery again. */
export async function resendDelivery({ client, terminal }: Calling, id: string): Promise<void> {
  const { data } = await client.call('resendDelivery', { parameters: { id } })
  terminal.show(data, () => {
    terminal.say(`${data.id} is sent again; \`headgate webhook delivery ${data.id}\` shows how.`)
  })
}

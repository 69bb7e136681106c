import type { Truncation } from '../query/output/query-result.ts'

type Envelope = { webhookId: string; deliveryId: string; createdAtMs: number }

export type DataEnvelope = Envelope & {
  network: string
  sequenceNumber: number
  truncation: Truncation | null
}

/**
 * The body of a data delivery. `dataText` is JSON already and is put in as it stands: what is
 * signed, billed and sent are these bytes.
 */
export function dataBody(envelope: DataEnvelope, dataText: string): string {
  const { truncation } = envelope
  const cut = truncation
    ? `,"truncated":true,"truncatedFields":${JSON.stringify(truncation.fields)}` +
      `,"truncationReason":${JSON.stringify(truncation.reason)}`
    : ''
  return (
    `${opening(envelope)}{"data":${dataText},"sequenceNumber":"${envelope.sequenceNumber}",` +
    `"network":"${envelope.network}"${cut}}}`
  )
}

export function errorBody(envelope: Envelope & { message: string }): string {
  return `${opening(envelope)}{"error":${JSON.stringify(envelope.message)}}}`
}

export function capacityMessage(dashboardUrl: string): string {
  return `Monthly capacity limit exceeded. Visit ${dashboardUrl}/settings/billing to upgrade your scaling policy for continued service.`
}

export function backlogMessage(dashboardUrl: string): string {
  return `Backlog limit exceeded: more results are undelivered than your plan allows. Unpause the webhook once its destination accepts deliveries, or visit ${dashboardUrl}/settings/billing to upgrade.`
}

function opening({ webhookId, deliveryId, createdAtMs }: Envelope): string {
  return (
    `{"webhookId":"${webhookId}","id":"${deliveryId}",` +
    `"createdAt":"${new Date(createdAtMs).toISOString()}","type":"GRAPHQL","event":`
  )
}

import type { EventTopic, WireEvents } from '../../contract/contract.ts'

export type LiveEvent = {
  topic: EventTopic
  name: keyof WireEvents
  /** The webhook of a delivery. */
  webhookId?: string
  /** A new stream is sent the last event of this name first. */
  kept?: string
  /** JSON. */
  data: string
}

/** More has changed than a stream sends. */
export function gapEvent(topic: EventTopic): LiveEvent {
  const data: WireEvents['gap'] = { topics: [topic], reason: 'too_much' }
  return { topic, name: 'gap', data: JSON.stringify(data) }
}

/** An event of a stream; its data is JSON, which has no line breaks. */
export function textOf({ name, data }: Pick<LiveEvent, 'name' | 'data'>, atMs: number): string {
  return `event: ${name}\nid: ${atMs}\ndata: ${data}\n\n`
}

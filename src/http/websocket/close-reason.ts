/** The ways in which a connection ends, with the codes of RFC 6455 and its registry. */
export const CLOSE_CODES = {
  /** The client ended it, was lost, or sent a frame that was too large. */
  client: 1000,
  binary_frame: 1003,
  slow_reader: 1013,
  capacity: 1008,
  revoked: 1008,
  network_changed: 1012,
  subscription_lost: 1012,
  stopped: 1012,
  bug: 1011,
} as const

export type CloseReason = keyof typeof CLOSE_CODES

/** The protocol's own limit for the reason of a close. */
const REASON_BYTES_MAX = 123

/** The text as far as a close may carry it, whole words. */
export function closeText(text: string): string {
  let cut = text
  while (Buffer.byteLength(cut) > REASON_BYTES_MAX) cut = cut.slice(0, cut.lastIndexOf(' '))
  return cut
}

/** The results of a team that are committed and not delivered. */
export type Backlog = {
  bytes: number
  /** Webhooks were unpaused above the limit, so that it can go down. */
  draining: boolean
}

const FAR_FACTOR = 2

export function backlogLevel({ bytes }: Pick<Backlog, 'bytes'>, limitBytes: number) {
  if (bytes <= limitBytes) return 'within'
  return bytes <= limitBytes * FAR_FACTOR ? 'above' : 'far_above'
}

/**
 * Deliveries go out only while webhooks are active, so a full backlog must not keep them paused
 * for ever: above the limit they may be unpaused, and stay so while it goes down. Nobody
 * gets far above it by unpausing again and again.
 */
export function isFull(backlog: Backlog, limitBytes: number): boolean {
  const level = backlogLevel(backlog, limitBytes)
  return level === 'far_above' || (level === 'above' && !backlog.draining)
}

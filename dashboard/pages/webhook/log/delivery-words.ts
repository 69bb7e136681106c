import type { Delivery } from '@headgate/client'

type Stage = Pick<Delivery, 'status' | 'attempts_made'>
type Status = { tone: 'ok' | 'warn' | 'bad' | 'idle'; word: string }
type Outcome = Pick<Delivery, 'status_code' | 'fault'>

const FAULTS: Readonly<Record<string, { word: string; why: string }>> = {
  dns: { word: 'No address', why: 'the name has none that deliveries may go to' },
  connect: { word: 'Not connected', why: 'the connection was refused or lost' },
  tls: { word: 'TLS failed', why: 'no agreement on an encrypted connection' },
  timeout: { word: 'Timeout', why: 'no answer in time' },
  reset: { word: 'Cut off', why: 'the connection was closed before the answer' },
  protocol: { word: 'No HTTP', why: 'the answer was not HTTP' },
}

export function statusOf({ status, attempts_made }: Stage): Status {
  if (status === 'delivered') return { tone: 'ok', word: 'Delivered' }
  if (status === 'failed') return { tone: 'bad', word: 'Failed' }
  if (status === 'cancelled') return { tone: 'idle', word: 'Cancelled' }
  return attempts_made === 0
    ? { tone: 'idle', word: 'Waiting' }
    : { tone: 'warn', word: 'Retrying' }
}

export function outcomeOf({ status_code, fault }: Outcome): { word: string; why: string } {
  if (status_code !== null) return { word: String(status_code), why: '' }
  if (fault === null) return { word: '', why: '' }
  return FAULTS[fault] ?? { word: fault, why: '' }
}

export function isAccepted(statusCode: number | null): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode < 300
}

/** A sequence number by its last six digits: `…687,424`. Those of old blocks are shown whole. */
export function shortSequence(text: string | null): string {
  if (text === null) return ''
  if (text.length <= 10) return Number(text).toLocaleString('en-US')
  return `…${text.slice(-6, -3)},${text.slice(-3)}`
}

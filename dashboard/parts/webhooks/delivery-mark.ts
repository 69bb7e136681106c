import type { Delivery } from '@headgate/client'
import type { StripMark } from '../strip.tsx'

type Marked = Pick<Delivery, 'status' | 'attempts_made' | 'rerun'>

export function deliveryMark({ status, attempts_made, rerun }: Marked): StripMark['kind'] {
  if (status === 'failed') return 'bad'
  if (status === 'waiting' && attempts_made > 0) return 'bad'
  if (status === 'waiting' || status === 'cancelled') return 'idle'
  if (rerun) return 'fork'
  return attempts_made > 1 ? 'warn' : 'calm'
}

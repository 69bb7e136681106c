import type { Delivery } from '@headgate/client'

export const STATUSES = ['waiting', 'delivered', 'failed', 'cancelled'] as const

export type LogFilters = ReturnType<typeof filtersIn>

const RETRIED_ATTEMPTS = 2

/** The highest number a block may be asked for by. */
const BLOCK_DIGITS = /^[0-9]{1,15}$/

/** Reads filters from an address; what it does not understand filters nothing. */
export function filtersIn(query: URLSearchParams) {
  const block = query.get('block') ?? ''
  return {
    status: STATUSES.find((status) => status === query.get('status')) ?? null,
    block: BLOCK_DIGITS.test(block) ? Number(block) : null,
    isRetried: query.get('retried') === '1',
    isRerun: query.get('rerun') === '1',
  }
}

export function isFiltered(filters: LogFilters): boolean {
  return filterWords(filters) !== ''
}

export function parametersOf({ status, block, isRetried, isRerun }: LogFilters) {
  return {
    ...(status !== null && { status }),
    ...(block !== null && { block }),
    ...(isRetried && { attempts_min: RETRIED_ATTEMPTS }),
    ...(isRerun && { rerun: 'true' as const }),
  }
}

export function filterWords({ status, block, isRetried, isRerun }: LogFilters): string {
  const words = [
    block === null ? '' : `of block ${block.toLocaleString('en-US')}`,
    status === null ? '' : `with the status ${status}`,
    isRetried ? 'that was retried' : '',
    isRerun ? 'run again after a reorganisation' : '',
  ]
  return words.filter(Boolean).join(', ')
}

export function isMeant(filters: LogFilters, delivery: Delivery): boolean {
  const { status, block, isRetried, isRerun } = filters
  if (status !== null && delivery.status !== status) return false
  if (block !== null && delivery.block_number !== block) return false
  if (isRetried && delivery.attempts_made < RETRIED_ATTEMPTS) return false
  return !isRerun || delivery.rerun
}

import type { SolanaError } from './account.ts'

const INVALID_PARAMS = -32602
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016

export function solanaError(
  code: number,
  message: string,
  dataText: string | null = null,
): SolanaError {
  return { code, message, dataText }
}

export function invalidParams(message: string): SolanaError {
  return solanaError(INVALID_PARAMS, message)
}

export function minContextSlotError(contextSlot: bigint): SolanaError {
  const message = 'Minimum context slot has not been reached'
  return solanaError(MIN_CONTEXT_SLOT_NOT_REACHED, message, `{"contextSlot":${contextSlot}}`)
}

/** Tells an error from what a reader gives otherwise; none of our values has such a member. */
export function isSolanaError(value: unknown): value is SolanaError {
  return typeof value === 'object' && value !== null && 'dataText' in value
}

export function solanaErrorText(error: SolanaError): string {
  const head = `{"code":${error.code},"message":${JSON.stringify(error.message)}`
  return error.dataText === null ? `${head}}` : `${head},"data":${error.dataText}}`
}

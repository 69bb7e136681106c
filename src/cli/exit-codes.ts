/** The exit codes of every command, so that scripts can tell the reasons apart. */
export const EXIT_CODES = {
  /** The work could not be done: refused, a port in use, a folder that cannot be written. */
  failed: 1,
  /** The words or the configuration are wrong, and trying again will not mend it. */
  badInput: 2,
  unreachable: 3,
} as const

export type ExitReason = keyof typeof EXIT_CODES

export const EXIT_CODE_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'it is done'],
  [EXIT_CODES.failed, 'it could not be done: refused, a port in use, no room on the disk'],
  [EXIT_CODES.badInput, 'the words or the configuration are wrong'],
  [EXIT_CODES.unreachable, 'no Headgate answers at the address'],
]

/** The exit codes of every command, so that scripts can tell the reasons apart. */
export const EXIT_CODES = {
  /** The work could not be done: refused, a port in use, a folder that cannot be written. */
  failed: 1,
  /** The words or the configuration are wrong, and trying again will not mend it. */
  badInput: 2,
  /** No Headgate answers at the address. */
  unreachable: 3,
} as const

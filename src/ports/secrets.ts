/**
 * Keeps texts that must be shown again, such as app keys, unreadable to whoever has only the
 * database.
 */
export interface Secrets {
  seal(plain: string): string

  /**
   * Throws the failure `secret_unreadable` when the text was changed or sealed with another
   * secret.
   */
  open(sealed: string): string
}

/** Keys for other purposes, from the same secret. */
export interface DerivedKeys {
  /** 32 bytes that follow from the secret and the purpose, and tell nothing of the secret. */
  derive(purpose: string): Uint8Array
}

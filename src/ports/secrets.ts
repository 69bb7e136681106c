/**
 * The place of a sealed text: its table, its column and the id of its row. Sealed for one place
 * it opens in no other, so that who can write the database cannot read a key by moving it.
 */
export type SealedPlace = string & { readonly sealedPlace: true }

export function appKeyPlace(appId: string): SealedPlace {
  return `apps.key_sealed ${appId}` as SealedPlace
}

/** The same for all keys of a webhook: at a rotation one takes the place of another. */
export function signingKeyPlace(webhookId: string): SealedPlace {
  return `webhooks.signing_key_sealed ${webhookId}` as SealedPlace
}

/**
 * Keeps texts that must be shown again, such as app keys, unreadable to whoever has only the
 * database.
 */
export interface Secrets {
  seal(plain: string, place: SealedPlace): string

  /**
   * Throws the failure `secret_unreadable` when the text was changed, or sealed with another
   * secret or for another place.
   */
  open(sealed: string, place: SealedPlace): string
}

export interface DerivedKeys {
  /** 32 bytes that follow from the secret and the purpose, and tell nothing of the secret. */
  derive(purpose: string): Uint8Array
}

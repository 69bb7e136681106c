export type Commitment = 'processed' | 'confirmed' | 'finalized'

/**
 * How the data of an account is written. `binary` is the node's old form, a bare base-58 text;
 * the service's own `json` is written as base64.
 */
export type AccountEncoding = 'binary' | 'base58' | 'base64' | 'base64+zstd' | 'jsonParsed'

/** An account as a ledger holds it. Numbers of 64 bits never pass through a double. */
export type Account = {
  /** 32 bytes. */
  pubkey: Uint8Array
  /** 32 bytes: the program that owns it. */
  owner: Uint8Array
  lamports: bigint
  rentEpoch: bigint
  executable: boolean
  data: Uint8Array
}

/** A part of an account's data; beyond its end there is nothing, which is no fault. */
export type DataSlice = { offset: number; length: number }

/**
 * A condition on accounts. No data is as long as 2^53 bytes, so a larger offset or size of a
 * caller stands here as the largest safe integer, which matches as little.
 */
export type AccountFilter =
  | { kind: 'dataSize'; bytes: number }
  | { kind: 'memcmp'; offset: number; bytes: Uint8Array }
  | { kind: 'tokenAccountState' }

/** An error in the words of a Solana node, sent with HTTP 200. */
export type SolanaError = {
  code: number
  message: string
  /** JSON text, where the node sends data with it. */
  dataText: string | null
}

/** Word that an upstream took a transaction which an app had sent. */
export type SentNote = {
  app: string
  hash: string
  upstream: string
  /** When it was sent, in ms since 1970. */
  sentAtMs: number
}

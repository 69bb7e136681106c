/** What one query gives on one block. */
export type Outcome = {
  /** The value of `event.data`, as JSON text. */
  text: string
  /** Of the text, in UTF-8. */
  bytes: number
  /** It asks for lists directly under `block`, and all of them are empty. */
  empty: boolean
  /** Items in each list directly under `block`, by response name. */
  matched: Readonly<Record<string, number>>
  truncation: Truncation | null
}

export type Truncation = {
  /** Response names of the lists that were cut, such as `block.logs`. */
  fields: readonly string[]
  reason: string
}

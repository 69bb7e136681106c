export type QueryResult = {
  /** The value of `event.data`, as JSON text. */
  text: string
  /** Length of the text in UTF-8. */
  bytes: number
  /** True when it has lists directly under `block` and all of them are empty. */
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

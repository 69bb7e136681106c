/**
 * A value that both engines store and return alike: text, a whole number below 2^53, bytes or
 * nothing.
 */
export type SqlValue = string | number | Uint8Array | null

/** SQL text cut at its parameters, so that each driver can write its own placeholders. */
export type Sql = { readonly parts: readonly string[]; readonly values: readonly SqlValue[] }

/**
 * A transaction by name, which a driver may run where the data is: its statements then need no
 * way there and back each, and nobody waits for the store meanwhile. Its arguments and its answer
 * are plain values that can travel to another thread, where a list of texts and numbers is faster
 * than objects: a driver that has such a thread packs arguments for the way.
 */
export type Procedure<Args extends readonly unknown[], Answer> = {
  readonly name: string
  run(tx: Transaction, args: Args): Promise<Answer>
  /** Arguments in a form that travels faster; with `unpack`, for those that would not. */
  pack?(args: Args): readonly unknown[]
  unpack?(sent: readonly unknown[]): readonly unknown[]
}

/** All we ask of a database; nothing else speaks SQL. */
export interface Database {
  query<Row = Record<string, SqlValue>>(statement: Sql): Promise<Row[]>

  /**
   * The same statement for each of many rows of values, which take the place of its own; how
   * many rows of the table each of them wrote. Committed together, or not at all. Faster than
   * one long statement, and to be told the number is cheaper than RETURNING.
   */
  each(statement: Sql, rows: readonly (readonly SqlValue[])[]): Promise<number[]>

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>

  /** Runs a procedure in one transaction; inside of one, as a part of it. */
  perform<Args extends readonly unknown[], Answer>(
    procedure: Procedure<Args, Answer>,
    args: Args,
  ): Promise<Answer>

  close(): Promise<void>
}

export interface Transaction extends Database {
  /**
   * Statements that go out together with the commit, when the work is done: rows that many
   * write are then locked for no longer than that takes. `work` sends all of them at once, and
   * the transaction fails with any of them.
   */
  last(work: () => Promise<unknown>): void
}

export type DiskRoom = {
  freeBytes: number
  floorBytes: number
  /** Less is free than the floor: nothing is accepted that makes the store grow for good. */
  isLow: boolean
}

export interface StoreHealth {
  /** False from a commit that failed until one succeeds. */
  commits(): boolean

  room(): DiskRoom
}

/** Builds a statement; an interpolated `Sql` is spliced in, everything else becomes a parameter. */
export function sql(parts: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Sql {
  const texts = [parts[0] ?? '']
  const params: SqlValue[] = []
  values.forEach((value, index) => {
    const after = parts[index + 1] ?? ''
    if (isSql(value)) {
      appendSql(texts, params, value)
      texts[texts.length - 1] += after
      return
    }
    params.push(value)
    texts.push(after)
  })
  return { parts: texts, values: params }
}

/** `(a, b), (c, d)`: the rows of one multi-row INSERT. */
export function sqlRows(rows: readonly (readonly SqlValue[])[]): Sql {
  const texts: string[] = []
  const params: SqlValue[] = []
  let text = ''
  rows.forEach((row, rowIndex) => {
    text += rowIndex === 0 ? '(' : ', ('
    // Hot path with thousands of values: the text between two is not put together anew.
    for (const value of row) {
      texts.push(text)
      params.push(value)
      text = ', '
    }
    text = row.length === 0 ? `${text})` : ')'
  })
  texts.push(text)
  return { parts: texts, values: params }
}

function appendSql(texts: string[], params: SqlValue[], inner: Sql): void {
  texts[texts.length - 1] += inner.parts[0] ?? ''
  inner.values.forEach((value, index) => {
    params.push(value)
    texts.push(inner.parts[index + 1] ?? '')
  })
}

function isSql(value: SqlValue | Sql): value is Sql {
  return typeof value === 'object' && value !== null && 'parts' in value
}

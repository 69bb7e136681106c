import { assert } from '../../core/errors.ts'
import type { Procedure, Sql, SqlValue, Transaction } from '../database.ts'

export type TransactionRun = {
  query<Row>(statement: Sql): Promise<Row[]>
  each(statement: Sql, rows: readonly (readonly SqlValue[])[]): Promise<number[]>
}

export type OwnProcedures = ReadonlyMap<string, Procedure<never, unknown>>

/**
 * The `tx` of one transaction, the same for all drivers: after a failed statement nothing is
 * kept, and once the work is done it is used no more. Procedures that the driver has of its own
 * take the place of those with their names.
 */
export function guardedTransaction(run: TransactionRun, own: OwnProcedures = new Map()) {
  const last: (() => Promise<unknown>)[] = []
  let over = false
  let failed: { error: unknown } | null = null

  const attempt = async <T>(call: () => Promise<T>): Promise<T> => {
    assert(!over, 'a transaction is used only until its work is done')
    if (failed) throw failed.error
    try {
      return await call()
    } catch (error) {
      failed ??= { error }
      throw error
    }
  }

  const tx: Transaction = {
    query: <Row>(statement: Sql) => attempt(() => run.query<Row>(statement)),
    each: (statement, rows) => attempt(() => run.each(statement, rows)),
    perform: (procedure, args) =>
      ((own.get(procedure.name) as typeof procedure | undefined) ?? procedure).run(tx, args),
    last: (work) => void last.push(work),
    async transaction() {
      throw new Error('a transaction cannot hold another: do the work with the tx at hand')
    },
    async close() {
      throw new Error('a transaction cannot close the database')
    },
  }

  return {
    tx,
    /** Sends the last statements: they and the commit alone are still to be waited for. */
    end(): Promise<unknown> {
      if (failed) throw failed.error
      const sent = Promise.all(last.map((work) => work()))
      over = true
      return sent
    },
    abandon(): void {
      over = true
    },
  }
}

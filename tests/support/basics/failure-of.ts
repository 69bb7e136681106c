/**
 * The error a promise ends with. The runner's own `rejects` stands still while it
 * waits, and then never hears of an answer that comes from another thread.
 */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  throw new Error('it was expected to fail, and did not')
}

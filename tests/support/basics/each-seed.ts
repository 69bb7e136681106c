/** Runs a case for the seeds from 1 to `count`; a failure tells its seed. */
export async function eachSeed(
  count: number,
  run: (seed: number) => void | Promise<void>,
): Promise<void> {
  for (let seed = 1; seed <= count; seed++) {
    try {
      await run(seed)
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      })
    }
  }
}

/** The seeds from 1 to `count`, for tests with a case of its own for each. */
export function seedsTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1)
}

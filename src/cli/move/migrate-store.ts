import { ConfigFaults, readSettings } from '../../config/config.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { complain } from '../terminal/complain.ts'
import { moveFailure } from './move-failure.ts'
import { movedText, moveProgress } from './move-progress.ts'
import { planMove } from './plan-move.ts'

/** Moves a store to the other world; the target can be started on only when all is there. */
export async function migrateStore(
  said: { from?: string; to?: string },
  configFile: string | undefined,
): Promise<void> {
  const settings = readSettings(configFile)
  if (settings instanceof ConfigFaults) return complain(settings.text, EXIT_CODES.badInput)
  const places = planMove(said, settings.database)
  if (typeof places === 'string') return complain(places, EXIT_CODES.badInput)
  const isTerminal = process.stderr.isTTY === true
  const report = moveProgress({ isTerminal, write: (text) => void process.stderr.write(text) })
  const { moveStore } = await import('../../wiring/move/move-store.ts')
  try {
    const moved = await moveStore({ ...places, settings }, report)
    if (typeof moved === 'string') return complain(moved, EXIT_CODES.badInput)
    console.log(moved ? movedText(moved) : 'This move was finished before: both are the same.')
    process.exit(0)
  } catch (thrown) {
    const failure = moveFailure(thrown, places)
    if (failure === null) throw thrown
    return complain(failure, EXIT_CODES.failed)
  }
}

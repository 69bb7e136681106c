import type { StartStep, WatchStep } from '../../wiring/start.ts'
import { coloursFor } from '../terminal/colours.ts'

type Screen = {
  colour: boolean
  /** Whether the line of the step that is under way can be taken back. */
  rewrites: boolean
  nowMs(): number
  write(text: string): void
}

const NAMES: Readonly<Record<StartStep, string>> = {
  store: 'the store is open',
  tables: 'its tables are up to date',
  chains: 'the development chains run',
  networks: 'the networks answer',
}

const NAME_WIDTH = Math.max(...Object.values(NAMES).map((name) => name.length))

const WAITING: Readonly<Record<StartStep, string>> = {
  store: 'opening the store',
  tables: 'bringing its tables up to date',
  chains: 'starting the development chains',
  networks: 'asking the networks',
}

/** Takes back the line of the step that is under way. */
const CLEAR = '\r\u001b[K'

const SECOND_MS = 1000

export function startProgress({ colour, rewrites, nowMs, write }: Screen) {
  let line = ''
  const clear = rewrites ? CLEAR : ''
  const { green, red, dim } = coloursFor(colour)
  const watch: WatchStep = async (step, work) => {
    const sinceMs = nowMs()
    line = rewrites ? `  … ${WAITING[step]}` : ''
    write(`${clear}${line}`)
    try {
      const result = await work
      // Faults are told below, as those of the configuration.
      const took = dim(duration(nowMs() - sinceMs))
      const done = `  ${green('✓')} ${NAMES[step].padEnd(NAME_WIDTH)}  ${took}\n`
      write(`${clear}${Array.isArray(result) ? '' : done}`)
      line = ''
      return result
    } catch (thrown) {
      write(`${clear}  ${red('✗')} ${WAITING[step]}\n`)
      throw thrown
    }
  }

  /** Text that others write meanwhile, without the line of the step that is under way. */
  const aside = (text: string) => (line === '' ? text : `${CLEAR}${text}${line}`)
  return { watch, aside }
}

function duration(ms: number): string {
  return ms < SECOND_MS ? `${Math.round(ms)} ms` : `${(ms / SECOND_MS).toFixed(1)} s`
}

import { ConfigFaults, readSettings } from '../../config/config.ts'
import { openProbeDrivers } from '../../wiring/embedded-drivers.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { complain } from '../terminal/complain.ts'
import { countText } from '../terminal/formats.ts'
import { progressBar } from '../terminal/progress-bar.ts'
import { openTerminal, type Terminal } from '../terminal/terminal.ts'
import { doctorTables } from './doctor-tables.ts'
import { type Finding, gravestFirst } from './finding.ts'
import { judgeNetwork } from './judge-network.ts'
import { networksOfRunning, type RunningNetworks } from './networks-of-running.ts'
import { DOCTOR_LIMITS, type NetworkFacts, probeNetworks } from './probe-networks.ts'

export type DoctorOptions = { config?: string; network?: string[]; json?: boolean }

/** The steps of one upstream, about, for the bar. */
const STEPS_USUAL = 9
const BAR_COLUMNS = 20

/** Wider sentences are hard to read. */
const LINE_COLUMNS_MAX = 100

const WHICH =
  'Which upstreams? Give --config FILE, or run this where a Headgate runs that was started here.'

export async function runDoctor(options: DoctorOptions): Promise<void> {
  const terminal = openTerminal(options)
  const { networks: all, findings: known } = await networksToLookAt(options.config)
  const chosen = options.network ?? all.map(({ id }) => id)
  const networks = all.filter(({ id }) => chosen.includes(id))
  const unknown = chosen.find((id) => !all.some((network) => network.id === id))
  if (unknown !== undefined) {
    const ids = all.map(({ id }) => id).join(', ')
    return complain(`There is no network ${unknown}; there are ${ids}.`, 'badInput')
  }
  const count = networks.reduce((sum, { upstreams }) => sum + upstreams.length, 0)
  const step = progressOf(terminal, count)
  const looked = await probeNetworks({ ...openProbeDrivers(), step }, networks)
  terminal.progress(null)

  const judged = looked.flatMap(({ network, upstreams }) => judgeNetwork(network, upstreams))
  const own = known.filter(({ network }) => chosen.includes(network))
  const findings = gravestFirst([...own, ...judged])
  const isGood = findings.every(({ level }) => level !== 'wrong')
  terminal.show(documentOf(looked, findings, isGood), () => {
    for (const one of looked) tellNetwork(terminal, one)
    tellFindings(terminal, findings, isGood)
  })
  // A long document takes its time through a pipe.
  await new Promise((written) => process.stdout.write('', written))
  process.exit(isGood ? 0 : EXIT_CODES.failed)
}

async function networksToLookAt(config: string | undefined): Promise<RunningNetworks> {
  const settings = readSettings(config)
  if (settings instanceof ConfigFaults) return complain(settings.text, 'badInput')
  if (!settings.local) return { networks: [...settings.networks], findings: [] }
  return (await networksOfRunning()) ?? complain(WHICH, 'badInput')
}

function progressOf(terminal: Terminal, upstreams: number) {
  const { requestsMax, totalMs } = DOCTOR_LIMITS
  const bounds = `at most ${requestsMax} requests and ${totalMs / 1000} s each`
  if (!terminal.isJson) terminal.note(`Looking at ${countText(upstreams, 'upstream')}, ${bounds}.`)
  let steps = 0
  return (networkId: string, upstream: string, name: string) => {
    steps++
    const share = Math.min(0.99, steps / (upstreams * STEPS_USUAL))
    terminal.progress(`${progressBar(share, BAR_COLUMNS)}  ${networkId} ${upstream}: ${name}`)
  }
}

function documentOf(looked: readonly NetworkFacts[], findings: readonly Finding[], ok: boolean) {
  const networks = looked.map(({ network, upstreams }) => ({ id: network.id, upstreams }))
  return { ok, networks: snakeCased(networks), findings }
}

/** Names as the management API writes them. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => {
    const snake = name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
    return [snake, snakeCased(member)] as const
  })
  return Object.fromEntries(members)
}

function tellNetwork(terminal: Terminal, { network, upstreams }: NetworkFacts): void {
  const { colours, columns } = terminal
  terminal.say(colours.bold(network.id))
  terminal.say(...doctorTables(upstreams, { colours, columnsMax: columns }), '')
}

function tellFindings(terminal: Terminal, findings: readonly Finding[], isGood: boolean): void {
  const { colours } = terminal
  if (findings.length > 0) terminal.say(colours.bold('What it means, and what to do'))
  for (const same of sameFindings(findings)) terminal.say(...findingLines(terminal, same))
  if (findings.length > 0) terminal.say('')
  terminal.say(isGood ? colours.green('Nothing is wrong.') : colours.red('Something is wrong.'))
}

const MARKS = { wrong: '✗', warning: '!', note: '·' } as const
const PAINT = { wrong: 'red', warning: 'yellow', note: 'dim' } as const

/** Findings that say the same of several upstreams are one sentence. */
function sameFindings(findings: readonly Finding[]): Finding[][] {
  const keyOf = ({ upstream, ...rest }: Finding) => JSON.stringify([rest, upstream === null])
  return [...Map.groupBy(findings, keyOf).values()]
}

function findingLines({ colours, columns }: Terminal, same: readonly Finding[]): string[] {
  const [finding] = same
  if (!finding) return []
  const { level, network, text, option } = finding
  const places = same.flatMap(({ upstream }) => upstream ?? [])
  const place = [network, ...places].join(', ')
  const width = Math.min(columns, LINE_COLUMNS_MAX) - 2
  const [first = '', ...rest] = wrapped(`${place}: ${text}${adviceOf(option)}`, width)
  return [`${colours[PAINT[level]](MARKS[level])} ${first}`, ...rest.map((line) => `  ${line}`)]
}

function adviceOf(option: string | null): string {
  if (option === null) return ''
  return option.includes(':') ? ` Set ${option}.` : ` See the option ${option}.`
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}

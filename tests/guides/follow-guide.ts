import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../support/basics/until.ts'
import { freePort } from '../support/nodes/free-port.ts'
import { environment } from '../support/product/headgate-process.ts'
import { guideFolder } from './guide-folder.ts'
import { type GuideStep, guideSteps, type Shown } from './guide-steps.ts'
import { type GuideTerminal, openTerminal } from './guide-terminal.ts'
import { differenceOf } from './shown-output.ts'

type Options = {
  /** The guide itself; by default the page of that name in `docs`. */
  text?: string
  /** Texts of the guide that stand for something else here, such as the address of a node. */
  replace?: Record<string, string>
  env?: Record<string, string>
  /** Steps under these headings are left out, as a program for them is missing here. */
  without?: readonly string[]
  /** Looks around in the end, while everything runs. */
  atEnd?: (place: { folder: string; url: string }) => Promise<void>
}

type Way = {
  main: GuideTerminal
  others: GuideTerminal[]
  open(folder: string): GuideTerminal
  /** A text of the guide with the ports and addresses of this run. */
  here(text: string): string
}

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))

/** Ports that guides speak of; here each is one that is free. */
const PORTS = [8080, 3000, 9090, 5432, 8081]

/** A failure shows the end of each terminal. */
const SAID_CHARS_MAX = 4000

/** Follows a guide from a clean checkout to its end: each command, in order, as readers do. */
export async function followGuide(name: string, options: Options = {}): Promise<void> {
  const steps = guideSteps(options.text ?? readFileSync(join(DOCS, name), 'utf8'))
  if (!steps.some(({ kind }) => kind === 'run')) throw new Error(`${name} has no commands`)
  const { checkout, notes, programs, remove } = guideFolder()
  const ports = new Map(PORTS.map((port) => [`${port}`, `${freePort()}`]))
  const env = environmentHere(programs, ports, options.env)
  const open = (folder: string) => openTerminal({ folder, env, notes })
  const way: Way = {
    main: open(checkout),
    others: [],
    open,
    here: (text) => here(text, ports, options.replace ?? {}),
  }
  try {
    for (const step of steps.filter(({ heading }) => !options.without?.includes(heading))) {
      await take(step, way).catch((error: Error) => {
        const said = [way.main, ...way.others].map((one) => one.said().slice(-SAID_CHARS_MAX))
        throw new Error(`${name}:${step.line}: ${error.message}\n${said.join('\n')}`)
      })
    }
    await options.atEnd?.({ folder: checkout, url: `http://localhost:${ports.get('8080')}` })
  } finally {
    for (const terminal of [...way.others.reverse(), way.main]) await terminal.close()
    remove()
  }
}

async function take(step: GuideStep, way: Way): Promise<void> {
  if (step.kind === 'interrupt') return way.others.pop()?.interrupt()
  if (step.kind === 'write') {
    const path = join(way.main.folder(), step.file)
    mkdirSync(dirname(path), { recursive: true })
    return writeFileSync(path, way.here(step.text))
  }
  const commands = way.here(step.commands)
  if (step.isLeftRunning) return leave(commands, step.shown, way)
  if (step.isAwaited && step.shown) return repeat(commands, step.shown, way)
  const output = await way.main.run(commands)
  const difference = step.shown === null ? null : differenceOf(output, step.shown)
  if (difference !== null) throw new Error(difference)
}

/** Starts something that goes on, and waits until it shows what the guide says. */
async function leave(commands: string, shown: Shown | null, way: Way): Promise<void> {
  if (shown === null) throw new Error('the guide does not show when it is ready')
  const terminal = way.open(way.main.folder())
  way.others.push(terminal)
  const going = terminal.run(commands).catch(() => 'ended')
  const isReady = () => differenceOf(terminal.said(), shown) === null
  const has = await Promise.race([
    until(() => isReady() || terminal.isOver(), 'it is ready').catch(() => 'late'),
    going,
  ])
  const difference = differenceOf(terminal.said(), shown)
  if (difference !== null) throw new Error(`${has ?? ''} ${difference}`)
}

/** Looks again and again; as long as nothing is there to be seen, commands may fail. */
async function repeat(commands: string, shown: Shown, way: Way): Promise<void> {
  let difference: string | null = null
  await until(async () => {
    difference = differenceOf(await way.main.run(`(\n${commands}\n) || :`), shown)
    return difference === null
  }, 'it is as shown').catch(() => {
    throw new Error(difference ?? 'it was never run')
  })
}

function here(text: string, ports: ReadonlyMap<string, string>, replace: Record<string, string>) {
  const replaced = Object.entries(replace).reduce((sofar, [from, to]) => {
    return sofar.replaceAll(from, to)
  }, text)
  return replaced.replace(/\b\d{4}\b/g, (port) => ports.get(port) ?? port)
}

/** Local development is quiet here, as in other tests; its blocks come on command. */
function environmentHere(
  programs: string,
  ports: ReadonlyMap<string, string>,
  more: Record<string, string> = {},
) {
  return {
    ...environment(),
    PATH: `${programs}:${process.env.PATH}`,
    HEADGATE_LISTEN: `127.0.0.1:${ports.get('8080')}`,
    // The port of the reader's own app.
    PORT: ports.get('3000'),
    HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
    NO_COLOR: '1',
    ...more,
  }
}

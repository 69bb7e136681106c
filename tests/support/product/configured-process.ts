import { afterEach, beforeEach, setDefaultTimeout } from 'bun:test'
import { type FakeNode, startFakeNode } from '../nodes/fake-node.ts'
import {
  cleanUp,
  configText,
  type Ended,
  type HeadgateProcess,
  newFolder,
  runToEnd,
  startProcess,
  writeConfig,
} from './headgate-process.ts'

type Environment = Record<string, string>

/** Is called when the process runs, before it is ready. */
type WhileStarting = (pid: number, said: () => string) => Promise<void>

/** A folder with a configuration file, and the processes that are started with it. */
export type ConfiguredProcess = {
  /** The node of the file, until a test writes another file. */
  readonly nodeA: FakeNode
  readonly nodeB: FakeNode
  readonly folder: string
  /** Writes another file, with one network on these nodes. */
  configure(nodes: readonly FakeNode[], more?: string): void
  start(env?: Environment, whileStarting?: WhileStarting): Promise<HeadgateProcess>
  /** Runs to its end, with more words on the command line, a command among them. */
  run(options?: { args?: readonly string[]; env?: Environment }): Promise<Ended>
}

/** A process starts in a fraction of a second, unless the machine is busy with others. */
const TEST_MS_MAX = 180_000

const ARGS = ['--config', 'headgate.yaml']

/** Makes nodes and a configured folder for each test of a file, and ends all after it. */
export function configuredProcess(): ConfiguredProcess {
  let nodeA: FakeNode
  let nodeB: FakeNode
  let folder: string
  setDefaultTimeout(TEST_MS_MAX)

  beforeEach(() => {
    nodeA = startFakeNode('node-a')
    nodeB = startFakeNode('node-b')
    folder = newFolder()
    writeConfig(folder, configText([nodeA]))
  })

  afterEach(async () => {
    await cleanUp()
    nodeA.stop()
    nodeB.stop()
  })

  return {
    get nodeA() {
      return nodeA
    },
    get nodeB() {
      return nodeB
    },
    get folder() {
      return folder
    },
    configure: (nodes, more) => void writeConfig(folder, configText(nodes, more)),
    start: (env = {}, whileStarting = async () => {}) =>
      startProcess({ folder, args: ARGS, env, whileStarting }),
    run: ({ args = [], env = {} } = {}) => runToEnd({ folder, args: [...args, ...ARGS], env }),
  }
}

export function callProcess(
  { url, keys }: HeadgateProcess,
  method: string,
  params: readonly unknown[] = [],
): Promise<Response> {
  return fetch(`${url}/eth-mainnet/v2/${keys.app_key}`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

/** Ends a process as an operator would, and waits until it has. */
export async function stopProcess(headgate: HeadgateProcess): Promise<void> {
  headgate.signal('SIGTERM')
  await headgate.exited
}

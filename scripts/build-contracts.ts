import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Compiles the contracts of the development chain to a JSON file beside each source:
 *   bun scripts/build-contracts.ts
 */

type Bytecode = {
  object: string
  /** By the number of the immutable in the syntax tree. */
  immutableReferences?: Record<string, { start: number; length: number }[]>
}

type Contract = {
  evm: { bytecode: Bytecode; deployedBytecode: Bytecode; methodIdentifiers: Record<string, string> }
}

type Output = {
  errors?: { formattedMessage: string }[]
  contracts: Record<string, Record<string, Contract>>
}

const FOLDER = fileURLToPath(new URL('../packages/devnet/contracts/', import.meta.url))

const SETTINGS = {
  evmVersion: 'prague',
  optimizer: { enabled: true, runs: 1 },
  // Nothing but the code: the same sources give the same bytes wherever they lie.
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: {
    '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode', 'evm.methodIdentifiers'] },
  },
}

/** Contracts that transactions create by themselves; others are there from the start. */
const CREATED: ReadonlySet<string> = new Set(['Vault'])

/** The text of each compiled file by its path. */
export function contractFiles(): Map<string, string> {
  const files = new Map<string, string>()
  for (const [source, contracts] of Object.entries(compiled())) {
    const members = Object.entries(contracts).filter(([, { evm }]) => evm.deployedBytecode.object)
    const artifact = Object.fromEntries(
      members.map(([name, { evm }]) => [name, artifactOf(name, evm)]),
    )
    const path = join(FOLDER, source.replace('.sol', '.json'))
    files.set(path, `${JSON.stringify(artifact, null, 2)}\n`)
  }
  return files
}

function compiled(): Output['contracts'] {
  const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')
  const sources = Object.fromEntries(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith('.sol'))
      .map((file) => [file, { content: readFileSync(join(FOLDER, file), 'utf8') }]),
  )
  const input = { language: 'Solidity', sources, settings: SETTINGS }
  const { errors = [], contracts }: Output = JSON.parse(solc.compile(JSON.stringify(input)))
  // A warning is as good as an error: the sources are few, and ours.
  if (errors.length > 0) throw new Error(errors.map((one) => one.formattedMessage).join('\n'))
  return contracts
}

function artifactOf(
  name: string,
  { bytecode, deployedBytecode, methodIdentifiers }: Contract['evm'],
) {
  // Numbers go up with the places in the source, so this is the order of declaration.
  const immutables = Object.entries(deployedBytecode.immutableReferences ?? {})
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, places]) => places.map(({ start }) => start))
  const methods = Object.entries(methodIdentifiers).map(([signature, selector]) => {
    return [signature.replace(/\(.*/, ''), `0x${selector}`]
  })
  return {
    ...(CREATED.has(name) ? { creation: bytecode.object } : {}),
    code: deployedBytecode.object,
    immutables,
    methods: Object.fromEntries(methods),
  }
}

if (import.meta.main) {
  for (const [path, text] of contractFiles()) writeFileSync(path, text)
}

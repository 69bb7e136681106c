import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The contracts of the development chain as code that it can be started with:
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

const SOURCES = fileURLToPath(new URL('../packages/devnet/contracts/', import.meta.url))
const TARGET = fileURLToPath(new URL('../packages/devnet/src/evm/contracts/code/', import.meta.url))

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

const LINE_CHARS = 92

/** The text of each file of code by its path. */
export function contractFiles(): Map<string, string> {
  const files = new Map<string, string>()
  for (const [source, contracts] of Object.entries(compiled())) {
    const name = source.replace('.sol', '').replace(/(?<=[a-z])(?=[A-Z])/g, '-')
    const members = Object.entries(contracts).filter(([, { evm }]) => evm.deployedBytecode.object)
    const text = [
      `/** Compiled from contracts/${source} by scripts/build-contracts.ts. */`,
      `export const ${name.toUpperCase().replaceAll('-', '_')}_CODE = {`,
      ...members.flatMap(([contract, { evm }]) => memberLines(contract, evm)),
      '}',
      '',
    ].join('\n')
    files.set(join(TARGET, `${name.toLowerCase()}-code.ts`), text)
  }
  return files
}

function compiled(): Output['contracts'] {
  const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')
  const sources = Object.fromEntries(
    readdirSync(SOURCES).map((file) => [
      file,
      { content: readFileSync(join(SOURCES, file), 'utf8') },
    ]),
  )
  const input = { language: 'Solidity', sources, settings: SETTINGS }
  const { errors = [], contracts }: Output = JSON.parse(solc.compile(JSON.stringify(input)))
  // A warning is as good as an error: the sources are few, and ours.
  if (errors.length > 0) throw new Error(errors.map((one) => one.formattedMessage).join('\n'))
  return contracts
}

function memberLines(name: string, { bytecode, deployedBytecode, ...evm }: Contract['evm']) {
  // Numbers go up with the places in the source, so this is the order of declaration.
  const references = Object.entries(deployedBytecode.immutableReferences ?? {})
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, places]) => `'${places.map(({ start }) => start).join(' ')}'`)
  const methods = Object.entries(evm.methodIdentifiers).map(
    ([signature, selector]) => `      ${signature.replace(/\(.*/, '')}: '0x${selector}',`,
  )
  return [
    `  ${name}: {`,
    ...(CREATED.has(name) ? codeLines('creation', bytecode.object) : []),
    ...codeLines('code', deployedBytecode.object),
    ...(references.length > 0 ? [`    immutables: [${references.join(', ')}],`] : []),
    '    methods: {',
    ...methods,
    '    },',
    '  },',
  ]
}

function codeLines(name: string, hex: string): string[] {
  const lines = hex.match(new RegExp(`.{1,${LINE_CHARS}}`, 'g')) ?? []
  return [`    ${name}: [`, ...lines.map((line) => `      '${line}',`), `    ].join(''),`]
}

if (import.meta.main) {
  mkdirSync(TARGET, { recursive: true })
  for (const [path, text] of contractFiles()) writeFileSync(path, text)
}

import { join } from 'node:path'
import { environmentToRestartWith } from './config/process-environment.ts'

/**
 * The program as one file: `npm run build:executable` puts the runtime, this and everything that it
 * imports together. Threads find their scripts in it beside this one.
 */

/** Gateway workers and the chains of local development are processes with one of these scripts. */
const SCRIPTS = new Map<string, () => Promise<unknown>>([
  [
    join(import.meta.dir, '..', 'worker', 'worker-process.ts'),
    () => import('./wiring/worker/worker-process.ts'),
  ],
  [
    join(import.meta.dir, 'evm-chain-process.ts'),
    () => import('@headgate/devnet/evm-chain-process'),
  ],
  [
    join(import.meta.dir, 'solana-ledger-process.ts'),
    () => import('@headgate/devnet/solana-ledger-process'),
  ],
])

await run()

async function run(): Promise<unknown> {
  const script = SCRIPTS.get(process.argv[2] ?? '')
  if (script !== undefined) {
    // The script finds its own words where the runtime would have put them.
    process.argv.splice(2, 1)
    return script()
  }

  const environment = environmentToRestartWith()
  if (environment === null) return import('./main.ts')
  const words = [process.execPath, ...process.argv.slice(2)]
  return process.execve?.(process.execPath, words, environment)
}

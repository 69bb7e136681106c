import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Times the three lines of docs/guides/first-webhook.md, from a clean checkout to the first
 * delivery in the inbox:
 *   bun scripts/time-first-webhook.ts              # with the packages that are installed here
 *   bun scripts/time-first-webhook.ts --install    # with npm ci
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const PORT = 28_417
const NPX = ['npx', 'headgate'] as const
const QUERY = '{ block { number hash } }'

/** Longer than a start takes on any machine. */
const WAIT_MS_MAX = 120_000
const POLL_MS = 10

const withInstall = process.argv.includes('--install')
const folder = mkdtempSync(join(tmpdir(), 'headgate-first-'))
const env = { ...process.env, HEADGATE_LISTEN: `127.0.0.1:${PORT}` }
const seconds = new Map<string, number>()
let beganAtMs = performance.now()

checkOut()
if (withInstall) timed('npm ci', () => run('npm', ['ci', '--no-audit', '--no-fund']))
else symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

beganAtMs = performance.now()
const service = spawn(NPX[0], [NPX[1], 'start'], {
  cwd: folder,
  env,
  detached: true,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  await saysThatItIsUp()
  note('npx headgate start, until it is up')
  const words = ['webhook', 'create', '--inbox', 'demo', '--network', 'ETH_DEVNET']
  timed('npx headgate webhook create', () => run(NPX[0], [NPX[1], ...words, '--graphql', QUERY]))
  beganAtMs = performance.now()
  await untilDelivered()
  note('until the delivery of the next block is in the inbox')
} finally {
  if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM')
  await new Promise((resolve) => service.once('exit', resolve))
  rmSync(folder, { recursive: true, force: true })
}
const all = [...seconds.values()].reduce((sum, one) => sum + one, 0)
for (const [what, took] of [...seconds, ['altogether', all] as const]) {
  console.log(`${took.toFixed(2).padStart(7)} s  ${what}`)
}

/** The files of this checkout that git knows of, as they are now. */
function checkOut(): void {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT })
  const tar = ['-C', ROOT, '--null', '--files-from=-', '-cf', join(folder, 'all.tar')]
  execFileSync('tar', tar, { input: files })
  execFileSync('tar', ['-xf', 'all.tar'], { cwd: folder })
  rmSync(join(folder, 'all.tar'))
}

function run(program: string, words: readonly string[]): void {
  execFileSync(program, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
}

function timed(what: string, work: () => void): void {
  beganAtMs = performance.now()
  work()
  note(what)
}

function note(what: string): void {
  seconds.set(what, (performance.now() - beganAtMs) / 1000)
}

async function saysThatItIsUp(): Promise<void> {
  let said = ''
  for await (const chunk of service.stdout ?? []) {
    said += chunk
    if (said.includes('Headgate is up')) break
  }
  // Nobody reads what it says from here on.
  service.stdout?.resume()
}

async function untilDelivered(): Promise<void> {
  const { team_token } = await Bun.file(join(folder, 'data/first-run.json')).json()
  const endsAtMs = performance.now() + WAIT_MS_MAX
  while (performance.now() < endsAtMs) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/api/inboxes/demo`, {
      headers: { 'x-service-token': team_token },
    })
    const { data } = (await answer.json()) as { data?: unknown[] }
    if (data !== undefined && data.length > 0) return
    await Bun.sleep(POLL_MS)
  }
  throw new Error('no delivery came')
}

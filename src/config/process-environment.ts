import type { Environment } from './config-environment.ts'

/** As in the scripts of package.json. */
const HTTP_REQUESTS_MAX = '16384'

/**
 * The environment that the runtime has to begin with, which `npm start` gives it: by default it has
 * at most 256 requests in flight, and it looks before any code runs. Null when it has begun so.
 */
export function environmentToRestartWith(): Environment | null {
  const { BUN_CONFIG_MAX_HTTP_REQUESTS: given } = process.env
  return given ? null : { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: HTTP_REQUESTS_MAX }
}

/**
 * The environment of a gateway worker. It has none of our own variables, because a worker receives
 * its settings from the main process, and must not know the secret or the operator token.
 *
 * The runtime's allocator returns unused parts of pages to the system after each garbage
 * collection, and the next calls fault them in again (2 % of a call's CPU time). Turning that off
 * costs about 10 MB per worker.
 */
export function workerEnvironment(): Environment {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HEADGATE_'))
  return { MIMALLOC_PURGE_HOLES: '0', ...Object.fromEntries(inherited) }
}

/**
 * Where the commands that ask a running Headgate find it. They have no need of a configuration,
 * which takes a while to load.
 */
export function readClientEnvironment(): { url?: string; token?: string; data: string } {
  const { HEADGATE_URL: url, HEADGATE_TOKEN: token, HEADGATE_DATA: data } = process.env
  return { ...(url && { url }), ...(token && { token }), data: data || 'data' }
}

/** Terminals that show no colours, and people who want none, say so by these variables. */
export function mayColour(): boolean {
  return !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

export function mayRewriteLines(): boolean {
  return process.env.TERM !== 'dumb'
}

/** `--no-color`; libraries look at the same variable. */
export function refuseColour(): void {
  process.env.NO_COLOR = '1'
}

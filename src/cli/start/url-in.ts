import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The address of the Headgate that was started on a folder last. */
export function urlIn(folder: string): string | null {
  try {
    const { url } = JSON.parse(readFileSync(join(folder, 'first-run.json'), 'utf8'))
    return typeof url === 'string' ? url : null
  } catch {
    return null
  }
}

import { chmodSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { ConfigFaults, loadSettings, type Settings } from '../../config/config.ts'

const FOR_ALL = 0o644
const FOR_OWNER = 0o600

type WrittenConfig = { settings: Settings } | { fault: string }

/**
 * Writes the file beside its place, reads it back as a start would, and only then puts it there.
 * Without `force` it never takes the place of another, even of one that came a moment ago.
 */
export function writeConfig(
  file: string,
  text: string,
  { isSecret, force }: { isSecret: boolean; force: boolean },
): WrittenConfig {
  const draft = `${file}.draft-${process.pid}`
  try {
    writeFileSync(draft, text, { mode: isSecret ? FOR_OWNER : FOR_ALL, flag: 'wx' })
    // A mask of the process may have taken more than was meant, but never gives more.
    chmodSync(draft, isSecret ? FOR_OWNER : FOR_ALL)
    const drafted = loadSettings({ file: draft, env: {} })
    if (drafted instanceof ConfigFaults) return { fault: drafted.text.replaceAll(draft, file) }
    if (force) renameSync(draft, file)
    else linkSync(draft, file)
    // Read once more, so that it names the lines of the file itself.
    const settings = loadSettings({ file, env: {} })
    return settings instanceof ConfigFaults ? { fault: settings.text } : { settings }
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : null
    if (code === null) throw thrown
    return {
      fault: code === 'EEXIST' ? alreadyThere(file) : `${file} cannot be written (${code}).`,
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

export function alreadyThere(file: string): string {
  return `${file} is there already. --force writes over it, --out FILE writes elsewhere.`
}

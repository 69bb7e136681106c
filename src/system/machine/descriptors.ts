import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import type { Descriptors } from '../../ports/descriptors.ts'

/** Opened for its number alone. */
const NOTHING = '/dev/null'

/** The descriptors of this process, on Linux and macOS. */
const FOLDER = '/dev/fd'

const LIMITS_FILE = '/proc/self/limits'

export function openDescriptors(): Descriptors {
  return {
    max: limitOfOpenFiles(),
    lowestFree() {
      const found = opened()
      if (found === null) return Number.POSITIVE_INFINITY
      closeSync(found)
      return found
    },
    count() {
      try {
        return readdirSync(FOLDER).length
      } catch {
        return Number.POSITIVE_INFINITY
      }
    },
    setAside(count) {
      const held: number[] = []
      while (held.length < count) {
        const next = opened()
        if (next === null) break
        held.push(next)
      }
      return () => {
        for (const descriptor of held.splice(0)) closeSync(descriptor)
      }
    },
  }
}

function opened(): number | null {
  try {
    return openSync(NOTHING, 'r')
  } catch {
    return null
  }
}

/** Only Linux tells it in a file; the runtime has raised it as far as it may by then. */
function limitOfOpenFiles(): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync(LIMITS_FILE, 'utf8'))
    return found ? Number(found[1]) : null
  } catch {
    return null
  }
}

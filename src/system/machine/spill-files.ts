import { close, open, read, write } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SpillFile, SpillFiles } from '../../ports/spill.ts'

// Files are used by their numbers: the runtime's own handles end the process when one is lost.
const openFile = promisify(open)
const readFile = promisify(read)
const writeFile = promisify(write)
const closeFile = promisify(close)

/** The names of our own files: anything else in the folder is left there. */
const NAME = /^spill-\d+$/

/**
 * Files in a folder of their own, which only the owner of this process can look into. Files that
 * a killed process left there are removed at once.
 */
export function openSpillFiles(folder: string): SpillFiles {
  let last = 0

  const clear = async () => {
    const names = await readdir(folder).catch(() => [])
    const ours = names.filter((name) => NAME.test(name))
    await Promise.all(ours.map((name) => rm(join(folder, name), { force: true })))
  }

  const emptied = clear()
  // The first write reports its failure; nothing waits for it until then.
  emptied.catch(() => {})

  return {
    async create() {
      await emptied
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return createFile(join(folder, `spill-${++last}`))
    },
    clear,
  }
}

async function createFile(path: string): Promise<SpillFile> {
  const file = await openFile(path, 'wx+', 0o600)
  const underWay = new Set<Promise<void>>()
  let end = 0
  let isRemoved = false

  /** The number of a closed file may become another's, so nothing may be under way by then. */
  const guarded = async (work: () => Promise<void>) => {
    if (isRemoved) throw new Error('the file was removed')
    const working = work()
    underWay.add(working)
    try {
      await working
    } finally {
      underWay.delete(working)
    }
  }

  return {
    append: (bytes) =>
      guarded(async () => {
        for (let from = 0; from < bytes.length; ) {
          const { bytesWritten } = await writeFile(file, bytes, from, bytes.length - from, end)
          from += bytesWritten
          end += bytesWritten
        }
      }),
    read: (at, into) =>
      guarded(async () => {
        for (let from = 0; from < into.length; ) {
          const { bytesRead } = await readFile(file, into, from, into.length - from, at + from)
          if (bytesRead === 0) throw new Error('the file is shorter than what was written')
          from += bytesRead
        }
      }),
    async remove() {
      if (isRemoved) return
      isRemoved = true
      await Promise.allSettled(underWay)
      await closeFile(file)
      await rm(path, { force: true })
    },
  }
}

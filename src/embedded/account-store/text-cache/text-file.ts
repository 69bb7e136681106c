import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from '../../../core/errors.ts'

/**
 * The cached texts in a file of their own, read straight into the page they are for: by way of
 * SQLite that would take three times as long. Nothing here outlives the process.
 */
export type TextFile = {
  /** Reads so many bytes from there, and writes them into `out`. */
  read(out: Uint8Array, at: number, place: number, bytes: number): void
  write(place: number, bytes: Uint8Array): void
  clear(): void
  close(): void
}

let unnamed = 0

export function openTextFile(path: string, mode: 'write' | 'read'): TextFile {
  const file = path === ':memory:' ? unnamedFile() : openSync(path, mode === 'write' ? 'w+' : 'r')
  return {
    read(out, at, place, bytes) {
      for (let read = 0; read < bytes; ) {
        const count = readSync(file, out, at + read, bytes - read, place + read)
        assert(count > 0, 'a cached text is all there')
        read += count
      }
    },
    write(place, bytes) {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(file, bytes, written, bytes.length - written, place + written)
      }
    },
    clear: () => ftruncateSync(file, 0),
    close: () => closeSync(file),
  }
}

/** As little is left of it as of a database in memory. */
function unnamedFile(): number {
  const path = join(tmpdir(), `headgate-texts-${process.pid}-${++unnamed}`)
  const file = openSync(path, 'wx+')
  rmSync(path)
  return file
}

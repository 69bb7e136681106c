import { statfsSync } from 'node:fs'
import type { DiskRoom } from '../../ports/database.ts'
import type { System } from '../../ports/world.ts'

type DiskWatch = { room(): DiskRoom; stop(): void }

/** Meanwhile a disk is filled by some hundred megabytes at most, which a floor has room for. */
const LOOK_EVERY_MS = 2000

/** The floor where none is configured: so much, or a part of a small disk. */
const FREE_BYTES_MIN = 512 * 1024 * 1024
const FREE_PART_MIN = 0.01

export function watchDisk(
  { clock, telemetry }: System,
  folder: string,
  freeBytesMin: number | undefined,
  measure = measureDisk,
): DiskWatch {
  let room: DiskRoom = { freeBytes: 0, floorBytes: 0, isLow: false }

  const look = () => {
    const { freeBytes, totalBytes } = measure(folder)
    const floorBytes = freeBytesMin ?? Math.min(FREE_BYTES_MIN, totalBytes * FREE_PART_MIN)
    const isLow = freeBytes < floorBytes
    const told = { free_bytes: freeBytes, floor_bytes: Math.round(floorBytes) }
    if (isLow && !room.isLow) telemetry.log('error', 'disk_low', told)
    if (!isLow && room.isLow) telemetry.log('info', 'disk_has_room', told)
    room = { freeBytes, floorBytes, isLow }
  }

  const lookAgain = () => {
    try {
      look()
    } catch {
      // The last finding is the best that is known; a writer is told what is wrong.
    }
  }

  lookAgain()
  const stopLooking = clock.every(LOOK_EVERY_MS, lookAgain)
  const forget = [
    telemetry.gauge('headgate_disk_free_bytes', {}, () => room.freeBytes),
    telemetry.gauge('headgate_disk_low', {}, () => Number(room.isLow)),
  ]
  return {
    room: () => room,
    stop() {
      stopLooking()
      for (const one of forget) one()
    },
  }
}

function measureDisk(folder: string) {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

import { constants, createGzip, createZstdCompress } from 'node:zlib'
import type { Coding } from './choose-coding.ts'

type Compressor = ReturnType<typeof createGzip>

/** One slice is half a millisecond's work for a thread of the runtime. */
const SLICE_BYTES = 64 * 1024

/** The fastest of each: an answer is compressed once for each client, while others wait. */
const LEVEL = 1

/**
 * A stream compressed in threads of the runtime: the event loop only hands slices over. It is
 * pulled as fast as it is read, which keeps memory flat, and breaks where its source does.
 */
export function compressedStream(
  stream: ReadableStream<Uint8Array>,
  coding: Coding,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  const compressor = newCompressor(coding)
  const compressed: Uint8Array[] = []
  let isEnded = false
  compressor.on('data', (bytes: Uint8Array) => compressed.push(bytes))
  // The callback of the slice gets it too; without a listener it would end the process.
  compressor.on('error', () => {})

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (;;) {
      const bytes = compressed.shift()
      if (bytes) return controller.enqueue(bytes)
      if (isEnded) return controller.close()
      const { done, value } = await reader.read()
      if (value) await compress(compressor, value)
      if (done) await finish(compressor)
      isEnded = done
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          await pull(controller)
        } catch (thrown) {
          compressor.destroy()
          controller.error(thrown)
        }
      },
      async cancel(reason) {
        compressor.destroy()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

function newCompressor(coding: Coding): Compressor {
  if (coding === 'gzip') return createGzip({ level: LEVEL, chunkSize: SLICE_BYTES })
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
  return createZstdCompress({ params, chunkSize: SLICE_BYTES })
}

/** Slice by slice, as an upstream's chunk may be of any size. */
async function compress(compressor: Compressor, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    await compressSlice(compressor, bytes.subarray(from, from + SLICE_BYTES))
  }
}

function compressSlice(compressor: Compressor, slice: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    compressor.write(slice, (failure) => (failure ? reject(failure) : resolve()))
  })
}

function finish(compressor: Compressor): Promise<void> {
  return new Promise((resolve, reject) => {
    compressor.once('end', resolve)
    compressor.once('error', reject)
    compressor.end()
  })
}

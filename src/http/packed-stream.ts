import { constants, createGzip, createZstdCompress } from 'node:zlib'
import type { Coding } from './accept-encoding.ts'

type Packer = ReturnType<typeof createGzip>

/** What is packed in one go: half a millisecond's work, in a thread of the runtime. */
const SLICE_BYTES = 64 * 1024

/** The fastest of each: an answer is packed once for each client, while others wait. */
const LEVEL = 1

/**
 * A stream packed in threads of the runtime, so that the event loop has no more to do than to hand
 * slices over. Pulled as fast as it is read, which keeps memory flat; breaks where its source does.
 */
export function packedStream(
  stream: ReadableStream<Uint8Array>,
  coding: Coding,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  const packer = newPacker(coding)
  const packed: Uint8Array[] = []
  let isEnded = false
  packer.on('data', (bytes: Uint8Array) => packed.push(bytes))
  // Told to whoever waits for the slice; without a listener it would end the process.
  packer.on('error', () => {})

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (;;) {
      const bytes = packed.shift()
      if (bytes) return controller.enqueue(bytes)
      if (isEnded) return controller.close()
      const { done, value } = await reader.read()
      if (value) await pack(packer, value)
      if (done) await finish(packer)
      isEnded = done
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          await pull(controller)
        } catch (thrown) {
          packer.destroy()
          controller.error(thrown)
        }
      },
      async cancel(reason) {
        packer.destroy()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

function newPacker(coding: Coding): Packer {
  if (coding === 'gzip') return createGzip({ level: LEVEL, chunkSize: SLICE_BYTES })
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
  return createZstdCompress({ params, chunkSize: SLICE_BYTES })
}

/** Slice by slice, as an upstream's chunk may be of any size. */
async function pack(packer: Packer, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    await packSlice(packer, bytes.subarray(from, from + SLICE_BYTES))
  }
}

function packSlice(packer: Packer, slice: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    packer.write(slice, (failure) => (failure ? reject(failure) : resolve()))
  })
}

function finish(packer: Packer): Promise<void> {
  return new Promise((resolve, reject) => {
    packer.once('end', resolve)
    packer.once('error', reject)
    packer.end()
  })
}

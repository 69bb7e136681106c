/** All bytes of a stream; null when there are more than `bytesMax`, and the rest is given up. */
export async function readUpTo(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    // A loop that is left early cancels its stream.
    if (bytes > bytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

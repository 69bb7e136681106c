import { archiveCall } from './archive-calls.ts'
import type { ChainArchive } from './chain-archive.ts'

/** An archive that answers as a node, for chains that are forked from one of its blocks. */
export type ArchiveServer = {
  /** The address of the node whose head is that block. */
  urlAt(height: number): string
  stop(): void
}

export function startArchiveServer(archive: ChainArchive, chainId: number): ArchiveServer {
  const answer = async (request: Request): Promise<Response> => {
    const height = Number(new URL(request.url).pathname.slice(1))
    const node = { archive, chainId, height }
    const body: unknown = await request.json()
    const calls = Array.isArray(body) ? body : [body]
    const answers = calls.map((call) => archiveCall(node, call))
    return Response.json(Array.isArray(body) ? answers : answers[0])
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    reusePort: false,
    fetch: answer,
  })
  return {
    urlAt: (height) => `http://127.0.0.1:${server.port}/${height}`,
    stop: () => void server.stop(true),
  }
}

import { rmSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Entropy } from '../../entropy.ts'
import type { EdrFork } from '../edr-chain.ts'
import { openRawChain, type RequestHandler } from '../fork/raw-chain.ts'
import { archiveCall } from './archive-calls.ts'
import type { ChainArchive } from './chain-archive.ts'

export type ArchiveForkNeeds = {
  entropy: Pick<Entropy, 'bytes'>
  /** Opens a new chain, or one that is forked from a node. */
  open(fork: EdrFork | null): Promise<RequestHandler>
}

export function openArchiveForks(
  { entropy, open }: ArchiveForkNeeds,
  archive: ChainArchive,
  { folder, chainId }: { folder: string; chainId: number },
) {
  const server = startArchiveServer(archive, chainId)
  const caches = join(folder, 'cache')
  let forks = 0

  return {
    /** A chain whose clock is so many seconds ahead of ours. */
    async at(height: number, aheadS: number): Promise<RequestHandler> {
      // Answers of before a reorganisation may be wrong after it.
      const cacheFolder = join(caches, String(++forks))
      rmSync(cacheFolder, { recursive: true, force: true })
      const next = await open({ url: server.urlAt(height), height, cacheFolder })
      const { result } = openRawChain(next)
      // The clock of a fork goes on from the block that it is forked from.
      const ownAheadS = Number(await result<string>('evm_increaseTime', 0))
      await result('evm_increaseTime', Math.max(0, aheadS - ownAheadS))
      // Each chain draws the same numbers, and the same blocks would come once more.
      const randao = Buffer.from(entropy.bytes(32)).toString('hex')
      await result('hardhat_setPrevRandao', `0x${randao}`)
      return next
    },
    /** To be called now and then. */
    clearCache: () => void removeFiles(caches).catch(() => {}),
    close() {
      server.stop()
      rmSync(caches, { recursive: true, force: true })
    },
  }
}

/**
 * EDR writes answers into files and knows no other way. It bears that a file goes, but not that a
 * folder does into which it is about to write.
 */
async function removeFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  await Promise.all(
    files.map(({ parentPath, name }) => rm(join(parentPath, name), { force: true })),
  )
}

/** An archive that answers as a node, for chains that are forked from one of its blocks. */
function startArchiveServer(archive: ChainArchive, chainId: number) {
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
    urlAt: (height: number) => `http://127.0.0.1:${server.port}/${height}`,
    stop: () => void server.stop(true),
  }
}

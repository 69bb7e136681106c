import { openSentTransactions } from '../fork/sent-transactions.ts'
import {
  archiveFault,
  openArchiveFile,
  setAside,
  UnavailableArchive,
  UnusableArchive,
} from './archive-file.ts'
import { captureBlock, readState } from './capture-block.ts'
import { type ChainArchive, openChainArchive } from './chain-archive.ts'
import { type KeptChain, type KeptNeeds, keepChain } from './kept-chain.ts'
import type { StateKey } from './state-history.ts'

type Options = {
  folder: string
  chainId: number
  genesisAddresses: readonly string[]
}

/** A chain that is kept in that folder; null when nothing can be kept there at the moment. */
export async function openKeptChain(needs: KeptNeeds, options: Options): Promise<KeptChain | null> {
  try {
    return await openOnce(needs, options)
  } catch (thrown) {
    const fault = archiveFault(thrown)
    if (fault instanceof UnavailableArchive) return unavailable(needs, options, fault)
    const path = setAside(options.folder)
    needs.say(`The archive of ETH_DEVNET cannot be used: ${fault.message}. It is now ${path}, \
and the chain begins anew.`)
  }
  try {
    return await openOnce(needs, options)
  } catch (thrown) {
    return unavailable(needs, options, archiveFault(thrown))
  }
}

function unavailable({ say }: KeptNeeds, { folder }: Options, { message }: Error): null {
  say(`ETH_DEVNET begins anew and is not kept, because ${folder} cannot be used: ${message}`)
  return null
}

async function openOnce(needs: KeptNeeds, options: Options): Promise<KeptChain> {
  const archive = openChainArchive(openArchiveFile(options.folder))
  try {
    return await openOn(needs, archive, options)
  } catch (thrown) {
    archive.close()
    throw thrown
  }
}

async function openOn(needs: KeptNeeds, archive: ChainArchive, options: Options) {
  const { chainId } = options
  const isNew = archive.blocks.head() === null
  if (!isNew && archive.chainId() !== chainId) {
    throw new UnusableArchive(`it is of a chain with the id ${archive.chainId()}, not ${chainId}`)
  }
  const kept = await keepChain(needs, archive, options)
  if (isNew) {
    archive.setChainId(chainId)
    await archiveGenesis(kept, archive, options.genesisAddresses)
    return kept
  }
  await openSentTransactions(kept.chain, archive.signed).resend(archive.takePending())
  return kept
}

/** No transaction made the state of the first block, so no trace tells it. */
async function archiveGenesis(
  { chain }: KeptChain,
  archive: ChainArchive,
  addresses: readonly string[],
): Promise<void> {
  const first = await captureBlock(chain, 0)
  if (first === null) throw new UnusableArchive('the chain has no first block')
  const keys = addresses.flatMap((address): StateKey[] =>
    (['balance', 'nonce', 'code'] as const).map((part) => ({ address, part })),
  )
  archive.append([{ ...first, changes: await readState(chain, keys, 0) }])
}

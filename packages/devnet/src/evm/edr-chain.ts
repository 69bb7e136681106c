import {
  type AccountOverride,
  ContractDecoder,
  EdrContext,
  type ForkConfig,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1HardforkLatest,
  l1HardforkToString,
  l1ProviderFactory,
  MineOrdering,
  type Provider,
  type ProviderConfig,
} from '@nomicfoundation/edr'
import { contractCodes } from './contracts/contracts.ts'
import { SAMPLE_TOKEN, SAMPLE_TOKEN_CODE } from './fork/sample-token.ts'
import { TEST_ACCOUNTS, TRADERS } from './test-accounts.ts'

export type EdrFork = { url: string; height: number; cacheFolder: string }

type Options = {
  chainId: number
  onEvent: (subscriptionId: bigint, result: unknown) => void
  /** Null for a new chain. */
  fork: EdrFork | null
  /** The rules of every block, such as `Amsterdam`; today's fork by default. */
  hardfork?: string | undefined
}

const ETHER_WEI = 10n ** 18n
const TEST_BALANCE_WEI = 10_000n * ETHER_WEI

/** Enough for the fees and gifts of centuries. */
const TRADER_BALANCE_WEI = 1_000_000n * ETHER_WEI
const HARDFORK = l1HardforkToString(l1HardforkLatest())

/** The limit of the main network. */
const BLOCK_GAS_MAX = 60_000_000n

/** EIP-7825: no transaction may ask for more. */
const TRANSACTION_GAS_MAX = 16_777_216n

const FIRST_BASE_FEE_WEI = 1_000_000_000n

/** The address that gets the fees; any without a known key does. */
const COINBASE = Buffer.from('c014ba5ec014ba5ec014ba5ec014ba5ec014ba5e', 'hex')

/** A process has one, for all its chains. */
export async function openEdrContext(): Promise<EdrContext> {
  const context = new EdrContext()
  await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory())
  return context
}

/**
 * A whole EVM chain in this process: the machine that Hardhat runs, without Hardhat. Blocks only
 * come on command.
 */
export function openEdrChain(
  context: EdrContext,
  { chainId, onEvent, fork, hardfork = HARDFORK }: Options,
): Promise<Provider> {
  const silent = {
    enable: false,
    decodeConsoleLogInputsCallback: () => [],
    printLineCallback: () => {},
  }
  const subscriptions = {
    subscriptionCallback: (event: { filterId: bigint; result: unknown }) =>
      onEvent(event.filterId, event.result),
  }
  return context.createProvider(
    L1_CHAIN_TYPE,
    chainSettings(chainId, fork, hardfork),
    silent,
    subscriptions,
    new ContractDecoder(),
  )
}

export function genesisAddresses(): string[] {
  return genesisState(HARDFORK).map(({ address }) => `0x${Buffer.from(address).toString('hex')}`)
}

function genesisState(hardfork: string): AccountOverride[] {
  return [...l1GenesisState(l1HardforkFromString(hardfork)), ...firstAccounts()]
}

function chainSettings(chainId: number, fork: EdrFork | null, hardfork: string): ProviderConfig {
  return {
    chainId: BigInt(chainId),
    networkId: BigInt(chainId),
    hardfork,
    // A fork has the state of its node, which this would overwrite.
    genesisState: fork === null ? genesisState(hardfork) : [],
    ownedAccounts: [...TEST_ACCOUNTS, ...TRADERS].map(([, publicTestKey]) => publicTestKey),
    mining: {
      // Transactions wait for the next block, as on any real chain.
      autoMine: false,
      blockGasLimit: BLOCK_GAS_MAX,
      memPool: { order: MineOrdering.Priority },
    },
    // Blocks may come faster than once a second; without this their clock would run ahead.
    allowBlocksWithSameTimestamp: true,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    // A transaction that fails is mined all the same and says so in its receipt.
    bailOnTransactionFailure: false,
    coinbase: COINBASE,
    defaultTransactionGasLimit: TRANSACTION_GAS_MAX,
    ...(fork === null && { initialBaseFeePerGas: FIRST_BASE_FEE_WEI }),
    initialParentBeaconBlockRoot: new Uint8Array(32),
    minGasPrice: 0n,
    network: fork === null ? { genesisBlockGasLimit: BLOCK_GAS_MAX } : forkSettings(chainId, fork),
    observability: {},
    precompileOverrides: [],
  }
}

/** Accounts with ether, and contracts. Storage cannot be given, so that of contracts is empty. */
function firstAccounts() {
  const bytes = (address: string) => Buffer.from(address.slice(2), 'hex')
  const funded = (accounts: typeof TEST_ACCOUNTS, balance: bigint) =>
    accounts.map(([address]) => ({ address: bytes(address), balance }))
  const contracts = contractCodes().map(([address, code]) => ({
    address: bytes(address),
    code: Buffer.from(code, 'hex'),
  }))
  return [
    ...funded(TEST_ACCOUNTS, TEST_BALANCE_WEI),
    ...funded(TRADERS, TRADER_BALANCE_WEI),
    { address: bytes(SAMPLE_TOKEN), code: SAMPLE_TOKEN_CODE },
    ...contracts,
  ]
}

function forkSettings(chainId: number, { url, height, cacheFolder }: EdrFork): ForkConfig {
  const sinceFirst = [{ condition: { blockNumber: 0n }, hardfork: HARDFORK }]
  const chain = { chainId: BigInt(chainId), name: 'ETH_DEVNET' }
  return {
    url,
    blockNumber: BigInt(height),
    cacheDir: cacheFolder,
    // Without it EDR does not know by which rules an old block is run again.
    chainOverrides: [{ ...chain, hardforkActivationOverrides: sinceFirst }],
  }
}

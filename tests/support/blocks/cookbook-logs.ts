import { keccak256, toBytes } from 'viem'
import { asTopic, POOL, STRANGER, WALLET } from './cookbook-block.ts'

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f'
const SEAPORT = '0x0000000000000068f116a894984e2db1123eb395'
const V2_FACTORY = '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f'
const V3_FACTORY = '0x1f98431c8ad98523631ae4a59f267346ea31f984'
const AAVE = '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2'
const GOVERNOR = '0x408ed6354d4973f66138c91495f2f2fcbd8724c3'
const ENTRY_POINT = '0x0000000071727de22e5e9d8baf0edac6f37da032'
const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe'
const PORTAL = '0x49048044d57e1c92a77f79988d21fa8faf74e97e'

const TRANSFER = topicOf('Transfer(address,address,uint256)')
const APPROVAL = topicOf('Approval(address,address,uint256)')
const FOR_ALL = topicOf('ApprovalForAll(address,address,bool)')
const V2_SWAP = topicOf('Swap(address,uint256,uint256,uint256,uint256,address)')
const V3_SWAP = topicOf('Swap(address,address,int256,int256,uint160,uint128,int24)')
const ANSWER = topicOf('AnswerUpdated(int256,uint256,uint256)')
const SALE =
  'OrderFulfilled(bytes32,address,address,address,' +
  '(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[])'
const OPERATION = 'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)'
const LIQUIDATION = 'LiquidationCall(address,address,address,uint256,uint256,address,bool)'
const PROPOSAL =
  'ProposalCreated(uint256,address,address[],uint256[],string[],bytes[],uint256,uint256,string)'

const OURS = asTopic(WALLET)
const THEIRS = asTopic(STRANGER)
const NOBODY = asTopic('0x0')

/** The logs of a block in which each query of the cookbook finds something, and misses much. */
export const COOKBOOK_LOGS = [
  log('usdc to ours', USDC, [TRANSFER, THEIRS, OURS]),
  log('usdc from ours', USDC, [TRANSFER, OURS, THEIRS]),
  log('usdc of others', USDC, [TRANSFER, THEIRS, THEIRS]),
  log('usdt to ours', USDT, [TRANSFER, THEIRS, OURS]),
  log('usdc approved by ours', USDC, [APPROVAL, OURS, THEIRS]),
  log('usdc approved by others', USDC, [APPROVAL, THEIRS, OURS]),
  log('dai issued', DAI, [TRANSFER, NOBODY, THEIRS]),
  log('dai redeemed', DAI, [TRANSFER, THEIRS, NOBODY]),
  log('dai moved', DAI, [TRANSFER, THEIRS, THEIRS]),
  log('nft minted', STRANGER, [TRANSFER, NOBODY, THEIRS, word(7)]),
  log('nft moved', STRANGER, [TRANSFER, OURS, THEIRS, word(7)]),
  log('collection approved by ours', STRANGER, [FOR_ALL, OURS, THEIRS]),
  log('nft sold', SEAPORT, [topicOf(SALE), THEIRS, THEIRS]),
  log('nft sold elsewhere', STRANGER, [topicOf(SALE), THEIRS, THEIRS]),
  log('swap of v2', POOL, [V2_SWAP, THEIRS, THEIRS]),
  log('swap of v3', POOL, [V3_SWAP, THEIRS, THEIRS]),
  log('swap elsewhere', STRANGER, [V2_SWAP, THEIRS, THEIRS]),
  log('pair made', V2_FACTORY, [topicOf('PairCreated(address,address,address,uint256)')]),
  log('pool made', V3_FACTORY, [topicOf('PoolCreated(address,address,uint24,int24,address)')]),
  log('pair made elsewhere', POOL, [topicOf('PairCreated(address,address,address,uint256)')]),
  log('liquidated', AAVE, [topicOf(LIQUIDATION), THEIRS, THEIRS, THEIRS]),
  log('answer', POOL, [ANSWER, word(1), word(2)]),
  log('answer elsewhere', STRANGER, [ANSWER, word(1), word(2)]),
  log('upgraded', POOL, [topicOf('Upgraded(address)'), THEIRS]),
  log('beacon upgraded', POOL, [topicOf('BeaconUpgraded(address)'), THEIRS]),
  log('admin changed', POOL, [topicOf('AdminChanged(address,address)')]),
  log('vote', GOVERNOR, [topicOf('VoteCast(address,uint256,uint8,uint256,string)'), THEIRS]),
  log('proposal', GOVERNOR, [topicOf(PROPOSAL)]),
  log('executed', POOL, [topicOf('ExecutionSuccess(bytes32,uint256)')]),
  log('not executed', POOL, [topicOf('ExecutionFailure(bytes32,uint256)')]),
  log('executed elsewhere', STRANGER, [topicOf('ExecutionSuccess(bytes32,uint256)')]),
  log('operation of ours', ENTRY_POINT, [topicOf(OPERATION), word(1), OURS, THEIRS]),
  log('operation of others', ENTRY_POINT, [topicOf(OPERATION), word(1), THEIRS, OURS]),
  log('eth to ours', SYSTEM, [TRANSFER, THEIRS, OURS]),
  log('eth from ours', SYSTEM, [TRANSFER, OURS, THEIRS]),
  log('eth of others', SYSTEM, [TRANSFER, THEIRS, THEIRS]),
  log('deposited', PORTAL, [topicOf('TransactionDeposited(address,address,uint256,bytes)')]),
] as const

/** All that the pool emits, which stands for a proxy, a Safe and an aggregator too. */
export const OF_POOL = COOKBOOK_LOGS.filter(({ at }) => at === POOL).map(({ name }) => name)

function log(name: string, at: string, topics: readonly string[]) {
  return { name, at, topics }
}

export function topicOf(signature: string): string {
  return keccak256(toBytes(signature))
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

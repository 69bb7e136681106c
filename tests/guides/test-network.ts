/**
 * More of the network that guides configure: blocks of tests are not proven by their hashes, and
 * come faster than on the real one.
 */
const MORE = 'verify: off\n    headPollMs: 100\n    blockTimeMs: 1000'

/** Texts that guides have of a network, and those of one that has this node. */
export function testNetwork({ url }: { url: string }): Record<string, string> {
  return {
    'http://10.0.0.5:8545': url,
    'http://10.0.0.6:8545': url,
    'chainId: 1\n': `chainId: 1\n    ${MORE}\n`,
  }
}

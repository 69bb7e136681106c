/** Programs that make a first call. They read the key from the environment, where it belongs. */

type Snippet = { name: string; text: string }

/** The address is a template: the key's place is taken by what each language reads it with. */
type Endpoint = { network: string; kind: 'evm' | 'solana'; address(key: string): string }

const KEY = 'HEADGATE_KEY'

export function snippetsOf(endpoint: Endpoint): Snippet[] {
  return endpoint.kind === 'evm' ? evmSnippets(endpoint) : solanaSnippets(endpoint)
}

function evmSnippets({ network, address }: Endpoint): Snippet[] {
  const inScript = address(`\${process.env.${KEY}}`)
  const isMainnet = network === 'ETH_MAINNET'
  return [
    curl(address, 'eth_blockNumber'),
    {
      name: 'viem',
      text: lines(
        `import { createPublicClient, http } from 'viem'`,
        isMainnet && `import { mainnet } from 'viem/chains'`,
        ``,
        `const client = createPublicClient({`,
        isMainnet && `  chain: mainnet,`,
        `  transport: http(\`${inScript}\`),`,
        `})`,
        `console.log(await client.getBlockNumber())`,
      ),
    },
    {
      name: 'ethers',
      text: lines(
        `import { JsonRpcProvider } from 'ethers'`,
        ``,
        `const provider = new JsonRpcProvider(`,
        `  \`${inScript}\`,`,
        `)`,
        `console.log(await provider.getBlockNumber())`,
      ),
    },
    {
      name: 'web3.py',
      text: lines(
        `import os`,
        `from web3 import Web3`,
        ``,
        `key = os.environ['${KEY}']`,
        `w3 = Web3(Web3.HTTPProvider(f'${address('{key}')}'))`,
        `print(w3.eth.block_number)`,
      ),
    },
  ]
}

function solanaSnippets({ address }: Endpoint): Snippet[] {
  return [
    curl(address, 'getSlot'),
    {
      name: '@solana/kit',
      text: lines(
        `import { createSolanaRpc } from '@solana/kit'`,
        ``,
        `const rpc = createSolanaRpc(`,
        `  \`${address(`\${process.env.${KEY}}`)}\`,`,
        `)`,
        `console.log(await rpc.getSlot().send())`,
      ),
    },
  ]
}

function curl(address: Endpoint['address'], method: string): Snippet {
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]}`
  return {
    name: 'curl',
    text: lines(
      `curl "${address(`$${KEY}`)}" \\`,
      `  -H 'content-type: application/json' \\`,
      `  -d '${body}'`,
    ),
  }
}

function lines(...all: readonly (string | false)[]): string {
  return all.filter((line) => line !== false).join('\n')
}

import { expect, test } from 'bun:test'
import { HDNodeWallet, Mnemonic } from 'ethers'
import { TEST_ACCOUNTS } from './test-accounts.ts'

test('the accounts are those of the phrase that development chains share', () => {
  const phrase = Mnemonic.fromPhrase('test test test test test test test test test test test junk')
  const parent = HDNodeWallet.fromMnemonic(phrase, "m/44'/60'/0'/0")
  const derived = Array.from({ length: 20 }, (_, index) => parent.deriveChild(index))
  expect(TEST_ACCOUNTS).toEqual(
    derived.map(({ address, privateKey }) => [address.toLowerCase(), privateKey]),
  )
  expect(TEST_ACCOUNTS[0]?.[0]).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
})

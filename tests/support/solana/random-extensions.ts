import type { Address } from '@solana/kit'
import type { ExtensionArgs } from '@solana-program/token-2022'
import { encodeKey } from '../../../src/core/solana/base58.ts'
import type { Chance } from '../basics/seeded-chance.ts'
import { randomBytes } from './account-bytes.ts'

/** Values for every extension of a token program, in the words of an encoder that is not ours. */

export function randomAddress(chance: Chance): Address {
  return encodeKey(randomBytes(chance, 32)) as Address
}

export function randomU64(chance: Chance): bigint {
  const digits = chance.between(1, 64)
  return BigInt.asUintN(digits, new DataView(randomBytes(chance, 8).buffer).getBigUint64(0))
}

export function mintExtensions(chance: Chance): ExtensionArgs[] {
  const { key, maybeKey, u64, i64, i16, flag, secret, multiplier, words } = randomParts(chance)
  const fee = () => ({
    epoch: u64(),
    maximumFee: u64(),
    transferFeeBasisPoints: chance.between(0, 65_535),
  })
  return [
    {
      __kind: 'TransferFeeConfig',
      transferFeeConfigAuthority: key(),
      withdrawWithheldAuthority: key(),
      withheldAmount: u64(),
      olderTransferFee: fee(),
      newerTransferFee: fee(),
    },
    { __kind: 'MintCloseAuthority', closeAuthority: key() },
    {
      __kind: 'ConfidentialTransferMint',
      authority: maybeKey(),
      autoApproveNewAccounts: flag(),
      auditorElgamalPubkey: maybeKey(),
    },
    { __kind: 'DefaultAccountState', state: chance.between(0, 2) },
    { __kind: 'NonTransferable' },
    {
      __kind: 'InterestBearingConfig',
      rateAuthority: key(),
      initializationTimestamp: i64(),
      preUpdateAverageRate: i16(),
      lastUpdateTimestamp: i64(),
      currentRate: i16(),
    },
    { __kind: 'PermanentDelegate', delegate: key() },
    { __kind: 'TransferHook', authority: key(), programId: key() },
    {
      __kind: 'ConfidentialTransferFee',
      authority: maybeKey(),
      elgamalPubkey: key(),
      harvestToMintEnabled: flag(),
      withheldAmount: secret(64),
    },
    { __kind: 'MetadataPointer', authority: maybeKey(), metadataAddress: maybeKey() },
    {
      __kind: 'TokenMetadata',
      updateAuthority: maybeKey(),
      mint: key(),
      name: words(),
      symbol: words(),
      uri: words(),
      additionalMetadata: new Map([
        [words(), words()],
        [words(), words()],
      ]),
    },
    { __kind: 'GroupPointer', authority: maybeKey(), groupAddress: maybeKey() },
    { __kind: 'TokenGroup', updateAuthority: maybeKey(), mint: key(), size: u64(), maxSize: u64() },
    { __kind: 'GroupMemberPointer', authority: maybeKey(), memberAddress: maybeKey() },
    { __kind: 'TokenGroupMember', mint: key(), group: key(), memberNumber: u64() },
    {
      __kind: 'ConfidentialMintBurn',
      confidentialSupply: secret(64),
      decryptableSupply: secret(36),
      supplyElgamalPubkey: key(),
      pendingBurn: secret(64),
    },
    {
      __kind: 'ScaledUiAmountConfig',
      authority: key(),
      multiplier: multiplier(),
      newMultiplierEffectiveTimestamp: i64(),
      newMultiplier: multiplier(),
    },
    { __kind: 'PausableConfig', authority: maybeKey(), paused: flag() },
    { __kind: 'PermissionedBurn', authority: maybeKey() },
  ]
}

export function accountExtensions(chance: Chance): ExtensionArgs[] {
  const { key, u64, flag, secret } = randomParts(chance)
  return [
    { __kind: 'TransferFeeAmount', withheldAmount: u64() },
    {
      __kind: 'ConfidentialTransferAccount',
      approved: flag(),
      elgamalPubkey: key(),
      pendingBalanceLow: secret(64),
      pendingBalanceHigh: secret(64),
      availableBalance: secret(64),
      decryptableAvailableBalance: secret(36),
      allowConfidentialCredits: flag(),
      allowNonConfidentialCredits: flag(),
      pendingBalanceCreditCounter: u64(),
      maximumPendingBalanceCreditCounter: u64(),
      expectedPendingBalanceCreditCounter: u64(),
      actualPendingBalanceCreditCounter: u64(),
    },
    { __kind: 'ImmutableOwner' },
    { __kind: 'MemoTransfer', requireIncomingTransferMemos: flag() },
    { __kind: 'CpiGuard', lockCpi: flag() },
    { __kind: 'NonTransferableAccount' },
    { __kind: 'TransferHookAccount', transferring: flag() },
    { __kind: 'ConfidentialTransferFeeAmount', withheldAmount: secret(64) },
    { __kind: 'PausableAccount' },
  ]
}

function randomParts(chance: Chance) {
  const flag = () => chance.between(0, 1) === 1
  const key = () => randomAddress(chance)
  return {
    flag,
    key,
    maybeKey: () => (flag() ? key() : null),
    u64: () => randomU64(chance),
    i64: () => BigInt.asIntN(64, randomU64(chance)),
    i16: () => chance.between(-32_768, 32_767),
    secret: (bytes: number) => randomBytes(chance, bytes),
    multiplier: () => chance.fraction() * 10 ** chance.between(-3, 15),
    words: () =>
      Array.from({ length: 8 }, () => chance.pick(['a', '"', '\\', 'é', '😀', '\n'])).join(''),
  }
}

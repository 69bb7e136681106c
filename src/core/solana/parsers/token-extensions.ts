import { type Field, layout, type StateWriter } from './forms/state-layout.ts'
import { tokenMetadata } from './token-metadata.ts'
import {
  type ExtensionEntry,
  listExtensions,
  type TokenKind,
  type TokenState,
} from './token-state.ts'

type Extension = { name: string; of: TokenKind; state: StateWriter | null }

const TRANSFER_FEE = layout([
  ['epoch', 'u64'],
  ['maximumFee', 'u64'],
  ['transferFeeBasisPoints', 'u16'],
])

/** The position is the number of the kind in the data; 0 is the end of the list. */
const EXTENSIONS: readonly (Extension | null)[] = [
  null,
  mint('transferFeeConfig', [
    ['transferFeeConfigAuthority', 'optionalKey'],
    ['withdrawWithheldAuthority', 'optionalKey'],
    ['withheldAmount', 'u64'],
    ['olderTransferFee', TRANSFER_FEE],
    ['newerTransferFee', TRANSFER_FEE],
  ]),
  account('transferFeeAmount', [['withheldAmount', 'u64']]),
  mint('mintCloseAuthority', [['closeAuthority', 'optionalKey']]),
  mint('confidentialTransferMint', [
    ['authority', 'optionalKey'],
    ['autoApproveNewAccounts', 'bool'],
    ['auditorElgamalPubkey', 'optionalElgamalKey'],
  ]),
  account('confidentialTransferAccount', [
    ['approved', 'bool'],
    ['elgamalPubkey', 'elgamalKey'],
    ['pendingBalanceLo', 'elgamalText'],
    ['pendingBalanceHi', 'elgamalText'],
    ['availableBalance', 'elgamalText'],
    ['decryptableAvailableBalance', 'aesText'],
    ['allowConfidentialCredits', 'bool'],
    ['allowNonConfidentialCredits', 'bool'],
    ['pendingBalanceCreditCounter', 'u64'],
    ['maximumPendingBalanceCreditCounter', 'u64'],
    ['expectedPendingBalanceCreditCounter', 'u64'],
    ['actualPendingBalanceCreditCounter', 'u64'],
  ]),
  mint('defaultAccountState', [['accountState', 'accountState']]),
  account('immutableOwner', null),
  account('memoTransfer', [['requireIncomingTransferMemos', 'bool']]),
  mint('nonTransferable', null),
  mint('interestBearingConfig', [
    ['rateAuthority', 'optionalKey'],
    ['initializationTimestamp', 'i64'],
    ['preUpdateAverageRate', 'i16'],
    ['lastUpdateTimestamp', 'i64'],
    ['currentRate', 'i16'],
  ]),
  account('cpiGuard', [['lockCpi', 'bool']]),
  mint('permanentDelegate', [['delegate', 'optionalKey']]),
  account('nonTransferableAccount', null),
  mint('transferHook', [
    ['authority', 'optionalKey'],
    ['programId', 'optionalKey'],
  ]),
  account('transferHookAccount', [['transferring', 'bool']]),
  mint('confidentialTransferFeeConfig', [
    ['authority', 'optionalKey'],
    ['withdrawWithheldAuthorityElgamalPubkey', 'elgamalKey'],
    ['harvestToMintEnabled', 'bool'],
    ['withheldAmount', 'elgamalText'],
  ]),
  account('confidentialTransferFeeAmount', [['withheldAmount', 'elgamalText']]),
  mint('metadataPointer', [
    ['authority', 'optionalKey'],
    ['metadataAddress', 'optionalKey'],
  ]),
  { name: 'tokenMetadata', of: 'mint', state: tokenMetadata },
  mint('groupPointer', [
    ['authority', 'optionalKey'],
    ['groupAddress', 'optionalKey'],
  ]),
  mint('tokenGroup', [
    ['updateAuthority', 'optionalKey'],
    ['mint', 'key'],
    ['size', 'u64'],
    ['maxSize', 'u64'],
  ]),
  mint('groupMemberPointer', [
    ['authority', 'optionalKey'],
    ['memberAddress', 'optionalKey'],
  ]),
  mint('tokenGroupMember', [
    ['mint', 'key'],
    ['group', 'key'],
    ['memberNumber', 'u64'],
  ]),
  mint('confidentialMintBurn', [
    ['confidentialSupply', 'elgamalText'],
    ['decryptableSupply', 'aesText'],
    ['supplyElgamalPubkey', 'elgamalKey'],
    ['pendingBurn', 'elgamalText'],
  ]),
  mint('scaledUiAmountConfig', [
    ['authority', 'optionalKey'],
    ['multiplier', 'doubleText'],
    ['newMultiplierEffectiveTimestamp', 'i64'],
    ['newMultiplier', 'doubleText'],
  ]),
  mint('pausableConfig', [
    ['authority', 'optionalKey'],
    ['paused', 'bool'],
  ]),
  account('pausableAccount', null),
  mint('permissionedBurnConfig', [['authority', 'optionalKey']]),
]

const UNPARSEABLE = '{"extension":"unparseableExtension"}'

/** JSON text of the list of extensions; null when there are none, which a node leaves out. */
export function tokenExtensions(state: TokenState): string | null {
  const entries = listExtensions(state, EXTENSIONS.length - 1)
  if (entries.length === 0) return null

  // Should a kind stand there twice, the node shows the first one both times.
  const textOfType = new Map<number, string>()
  const texts = entries.map((entry) => {
    const text = textOfType.get(entry.type) ?? extensionText(state, entry)
    textOfType.set(entry.type, text)
    return text
  })
  return `[${texts.join(',')}]`
}

/** An extension that cannot be read is named as such and takes nothing else down with it. */
function extensionText({ kind, data, view }: TokenState, entry: ExtensionEntry): string {
  const extension = EXTENSIONS[entry.type]
  if (!extension) return UNPARSEABLE
  if (extension.state === null) return `{"extension":"${extension.name}"}`
  if (extension.of !== kind) return UNPARSEABLE

  const state = extension.state(data, view, entry.at, entry.length)
  return state === null ? UNPARSEABLE : `{"extension":"${extension.name}","state":${state}}`
}

function mint(name: string, fields: readonly Field[] | null): Extension {
  return { name, of: 'mint', state: fields === null ? null : layout(fields).write }
}

function account(name: string, fields: readonly Field[] | null): Extension {
  return { name, of: 'account', state: fields === null ? null : layout(fields).write }
}

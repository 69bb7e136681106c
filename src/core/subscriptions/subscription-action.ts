import type { NetworkKind } from '../network.ts'

/** The meaning of a subscription method: `notification` names the messages that follow it. */
export type SubscriptionAction =
  | { kind: 'subscribe'; notification: string }
  | { kind: 'unsubscribe' }

const UNSUBSCRIBE: SubscriptionAction = { kind: 'unsubscribe' }

const SOLANA_SUBJECTS = ['account', 'program', 'logs', 'signature', 'slot', 'root']

const ACTIONS: Readonly<Record<NetworkKind, ReadonlyMap<string, SubscriptionAction>>> = {
  evm: new Map<string, SubscriptionAction>([
    ['eth_subscribe', { kind: 'subscribe', notification: 'eth_subscription' }],
    ['eth_unsubscribe', UNSUBSCRIBE],
  ]),
  solana: new Map<string, SubscriptionAction>(
    SOLANA_SUBJECTS.flatMap((subject) => [
      [`${subject}Subscribe`, { kind: 'subscribe', notification: `${subject}Notification` }],
      [`${subject}Unsubscribe`, UNSUBSCRIBE],
    ]),
  ),
}

export function subscriptionAction(kind: NetworkKind, method: string): SubscriptionAction | null {
  return ACTIONS[kind].get(method) ?? null
}

export function notificationFrame(
  kind: NetworkKind,
  notification: string,
  idText: string,
): { before: string; after: string } {
  const opening = `{"jsonrpc":"2.0","method":"${notification}","params":{`
  if (kind === 'evm') return { before: `${opening}"subscription":${idText},"result":`, after: '}}' }
  return { before: `${opening}"result":`, after: `,"subscription":${idText}}}` }
}

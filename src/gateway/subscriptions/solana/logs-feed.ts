import { readSlotValue } from '../../../core/solana/subscriptions/subscription-message.ts'
import { type Feed, type FeedNeeds, isPlausible, LOST_WHILE_RECONNECTING } from './feed.ts'

/** Logs of transactions. No node can be asked for those of the last moments, so a loss is one. */
export function openLogsFeed({ service, out }: FeedNeeds): Feed {
  return {
    heard(resultText) {
      const said = readSlotValue(resultText)
      if (!said?.valueText.startsWith('{') || !isPlausible(service, said.slot)) return false
      out.notify(resultText)
      return true
    },
    interrupted: () => out.lost(LOST_WHILE_RECONNECTING),
    resumed: () => Promise.resolve(),
  }
}

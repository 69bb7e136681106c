import type { Webhook } from '@headgate/client'
import { useEffect, useState } from 'preact/hooks'
import { callApi } from '../../../api/call-api.ts'
import { useCall } from '../../../api/use-call.ts'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/forms/field.tsx'
import { useSubmit } from '../../../parts/forms/use-submit.ts'
import { Refusal } from '../../../parts/note.tsx'
import { cu, plural } from '../../../parts/text/format.ts'
import { say } from '../../../shell/toasts.tsx'
import { noteReplay } from './use-replays.ts'

/** The range that is offered first: the newest blocks. */
const OFFERED_BLOCKS = 100

type FormProps = { webhook: Webhook; isRunning: boolean }

export function ReplayForm({ webhook, isRunning }: FormProps) {
  const head = useCall('listNetworks').data?.data.find(({ id }) => id === webhook.network)?.head
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const price = useBlockPrice(webhook)
  const newest = head?.number
  useEffect(() => {
    if (newest === undefined || to !== '') return
    setFrom(String(Math.max(0, newest - OFFERED_BLOCKS + 1)))
    setTo(String(newest))
  }, [newest])
  const range = rangeOf(from, to)
  const blocks = range ? range.to - range.from + 1 : 0
  const { fault, submit } = useSubmit(async () => {
    if (!range) return
    const body = { webhook_id: webhook.id, from_block: range.from, to_block: range.to }
    const { data } = await callApi('replayWebhook', { body })
    noteReplay(data)
    say(`Replaying ${plural(blocks, 'block')}`)
  })
  return (
    <form class="cb col" onSubmit={submit}>
      <div class="grid g2 tight">
        <TextField label="From block" class="mono" value={from} onChange={setFrom} />
        <TextField label="To block, included" class="mono" value={to} onChange={setTo} />
      </div>
      <p class="hint">
        {range ? costWords(blocks, price) : 'Two block numbers, the first not above the second.'}{' '}
        They carry the sequence numbers they had, so a newer version always wins, and the header{' '}
        <span class="ic">x-headgate-replay: 1</span>.
      </p>
      <Refusal>{fault}</Refusal>
      <StartButton webhook={webhook} isRunning={isRunning} blocks={blocks} />
    </form>
  )
}

function StartButton({ webhook, isRunning, blocks }: FormProps & { blocks: number }) {
  const why = isRunning
    ? 'A replay of this webhook is running'
    : webhook.is_active
      ? ''
      : 'A paused webhook sends nothing: unpause it first'
  return (
    <>
      {why && <p class="note">{why}.</p>}
      <Button
        class="primary"
        icon="again"
        type="submit"
        disabled={why !== '' || blocks === 0}
        title={why}
      >
        {blocks > 0 ? `Replay ${plural(blocks, 'block')}` : 'Replay'}
      </Button>
    </>
  )
}

function costWords(blocks: number, price: BlockPrice | null): string {
  if (!price) return `${plural(blocks, 'block')}.`
  const deliveries = Math.round(blocks * price.deliveries)
  const cost = cu(Math.round(blocks * price.cu * 100) / 100)
  return (
    `${plural(blocks, 'block')}, about ${plural(deliveries, 'delivery', 'deliveries')} and ` +
    `${cost}, ${price.basis}.`
  )
}

/** Digits, with or without commas between them; null where they are no range. */
function rangeOf(from: string, to: string): { from: number; to: number } | null {
  const [first, last] = [from, to].map((text) => {
    const digits = text.replace(/[,\s]/g, '')
    return /^[0-9]{1,15}$/.test(digits) ? Number(digits) : Number.NaN
  })
  if (first === undefined || last === undefined || !(first <= last)) return null
  return { from: first, to: last }
}

/** What a block of a webhook's query costs on average, and by which blocks that is known. */
type BlockPrice = { deliveries: number; cu: number; basis: string }

/** Blocks that a price is taken from. */
const BLOCKS = 50

/** Asks what the query costs a block; null before it is known, or where it cannot be. */
function useBlockPrice(webhook: Webhook): BlockPrice | null {
  const [price, setPrice] = useState<BlockPrice | null>(null)
  const { network, graphql_query: query } = webhook
  const key = JSON.stringify({ network, query })
  useEffect(() => {
    let isWanted = true
    setPrice(null)
    const asked = JSON.parse(key)
    const found = estimated(asked).catch(() => tried(asked))
    found.then((one) => isWanted && setPrice(one)).catch(() => {})
    return () => {
      isWanted = false
    }
  }, [key])
  return price
}

type Asked = { network: string; query: Webhook['graphql_query'] }

async function estimated({ network, query }: Asked): Promise<BlockPrice> {
  const body = { network, graphql_query: query, blocks: BLOCKS }
  const { data } = await callApi('estimateQuery', { body })
  const blocks = Math.max(1, data.blocks)
  return {
    deliveries: data.delivered / blocks,
    cu: data.cu / blocks,
    basis: `by the last ${data.blocks} blocks`,
  }
}

/** The newest block alone, where there is no estimate. */
async function tried({ network, query }: Asked): Promise<BlockPrice> {
  const found = await callApi('testQuery', { body: { network, graphql_query: query } })
  const isSkipped = found.empty && query.skip_empty_messages
  return {
    deliveries: isSkipped ? 0 : 1,
    cu: isSkipped ? 0 : found.cu,
    basis: 'by the newest block',
  }
}

import { useCall } from '../../../api/use-call.ts'
import type { WireApp, WireSentTransaction } from '../../../api/wire.ts'
import { Empty, LoadFault, SkeletonRows } from '../../../parts/empty.tsx'
import { NetworkName, State, type Tone } from '../../../parts/state.tsx'
import { whole } from '../../../parts/text/format.ts'
import { Hash } from '../../../parts/text/hash.tsx'
import { TimeAgo } from '../../../parts/text/time-ago.tsx'
import { changeQuery, usePlace } from '../../../shell/routing/router.ts'

/** The last ones are enough for a page; the API has them all. */
const SHOWN = 25

const STATES = ['pending', 'mined', 'failed', 'dropped'] as const

const TONES: Record<WireSentTransaction['state'], Tone> = {
  pending: 'ring',
  mined: 'ok',
  failed: 'bad',
  dropped: 'warn',
}

const WORDS: Record<WireSentTransaction['state'], string> = {
  pending: 'Pending',
  mined: 'Mined',
  failed: 'Reverted',
  dropped: 'Dropped',
}

/** The transactions that an app has sent in the last week, and what became of them. */
export function SentTransactions({ app }: { app: WireApp }) {
  const { query } = usePlace()
  const wanted = query.get('sent')
  const state = STATES.find((one) => one === wanted)
  const asked = { id: app.id, limit: SHOWN, ...(state && { state }) }
  const { data, error, reload } = useCall('listAppTransactions', asked)
  const rows = data?.data
  return (
    <section class="card">
      <div class="ch line">
        <h2>Transactions</h2>
        <span class="quiet small">7 d</span>
        <span class="acts">
          <StateChoice state={state} />
        </span>
      </div>
      {rows && rows.length > 0 && <Rows rows={rows} />}
      {rows?.length === 0 && (
        <Empty title={state ? `None is ${WORDS[state].toLowerCase()}` : 'Nothing was sent'}>
          What the app sends with eth_sendRawTransaction is followed here until it is mined or
          dropped.
        </Empty>
      )}
      {!data &&
        (error ? (
          <div class="cb pad">
            <LoadFault error={error} retry={reload} />
          </div>
        ) : (
          <SkeletonRows rows={3} />
        ))}
    </section>
  )
}

function StateChoice({ state }: { state: WireSentTransaction['state'] | undefined }) {
  return (
    <label class={`filter ${state ? 'on' : ''}`}>
      State
      <select
        value={state ?? ''}
        onChange={(event) => changeQuery({ sent: event.currentTarget.value || null })}
      >
        <option value="">any</option>
        {STATES.map((one) => (
          <option key={one} value={one}>
            {WORDS[one]}
          </option>
        ))}
      </select>
    </label>
  )
}

function Rows({ rows }: { rows: readonly WireSentTransaction[] }) {
  return (
    <div class="tw">
      <table>
        <thead>
          <tr>
            <th scope="col">Transaction</th>
            <th scope="col">State</th>
            <th scope="col" class="num c-narrow">
              Block
            </th>
            <th scope="col" class="c-narrow">
              Network
            </th>
            <th scope="col" class="c-narrow">
              Taken by
            </th>
            <th scope="col" class="num">
              Sent
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TransactionRow key={`${row.network} ${row.hash}`} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TransactionRow({ row }: { row: WireSentTransaction }) {
  const { hash, state, block_number: block, network, upstreams, time_sent: sentAt } = row
  return (
    <tr>
      <td>
        <Hash text={hash} what="Transaction hash" />
      </td>
      <td>
        <State tone={TONES[state]}>{WORDS[state]}</State>
      </td>
      <td class="num c-narrow">{block === null ? '–' : whole(block)}</td>
      <td class="c-narrow">
        <NetworkName id={network} />
      </td>
      <td class="quiet c-narrow">{upstreams.join(', ')}</td>
      <td class="num quiet">
        <TimeAgo at={sentAt} />
      </td>
    </tr>
  )
}

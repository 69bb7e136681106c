import type { Network } from '@headgate/client'
import { useMemo } from 'preact/hooks'
import { useRecentHeads } from '../../api/recent-heads.ts'
import { Card } from '../../parts/card.tsx'
import { Empty } from '../../parts/empty.tsx'
import { BoxedFact } from '../../parts/fact.tsx'
import { headMarks } from '../../parts/head-marks.ts'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { NetworkName, Tag } from '../../parts/state.tsx'
import { Strip } from '../../parts/strip.tsx'
import { middleCut, plural, whole } from '../../parts/text/format.ts'
import { lengthText, Time, useNow } from '../../parts/text/time-ago.tsx'
import { usePlace } from '../../shell/routing/router.ts'
import { NodeTable } from './node-table.tsx'

const STRIP_MARKS = 26

export function NetworkCard({ network }: { network: Network }) {
  const { id, kind, upstreams, account_indexes: indexes } = network
  const { hash } = usePlace()
  const used = upstreams.filter(({ state }) => state === 'used').length
  return (
    <Card
      class={hash === `#${id}` ? 'netcard target' : 'netcard'}
      id={id}
      label={id}
      title={<NetworkName id={id} />}
      beside={[<Tag key="kind">{kind}</Tag>, <NetworkHead key="head" network={network} />]}
      isLined
    >
      {used === 0 && upstreams.length > 0 && <NoneAnswers network={network} />}
      {upstreams.length > 0 ? (
        <NodeTable nodes={upstreams} />
      ) : (
        <Empty icon="nodes" title="It has no node">
          The operator names nodes under <span class="ic">upstreams</span> of the network.
        </Empty>
      )}
      {indexes.map((index) => (
        <IndexLine key={index.program} index={index} />
      ))}
    </Card>
  )
}

function NetworkHead({ network }: { network: Network }) {
  const heads = useRecentHeads(network.id)
  const newest = heads.at(-1)
  const reported = network.head?.number
  const readAtMs = useMemo(() => Date.now(), [network])
  const isNewer = newest !== undefined && newest.number >= (reported ?? 0)
  const head = isNewer ? newest.number : reported
  const at = isNewer ? newest.time : readAtMs - (network.head?.age_ms ?? 0)
  const marks = headMarks(heads, network.block_time_ms).slice(-STRIP_MARKS)
  return (
    <div class="acts nethead">
      {marks.length > 1 && (
        <span class="c-mid">
          <Strip
            marks={marks}
            height={16}
            step={6}
            label="The latest blocks; height is the time each took"
          />
        </span>
      )}
      <dl class="inl">
        <BoxedFact name="Head">{head === undefined ? 'none yet' : whole(head)}</BoxedFact>
        {head !== undefined && <Age at={at} />}
        {network.finalized !== null && (
          <BoxedFact name="Final" class="c-mid">
            {whole(network.finalized)}
          </BoxedFact>
        )}
        <BoxedFact name="A block every" class="c-wide">
          {(network.block_time_ms / 1000).toFixed(1)} s
        </BoxedFact>
        {network.kind === 'evm' && (
          <BoxedFact name="Blocks are" class="c-wide">
            {verifyText(network.verify)}
          </BoxedFact>
        )}
      </dl>
    </div>
  )
}

/** Whether webhooks can rely on the blocks, in a word, and why not. */
function verifyText({ form, fallback }: Network['verify']): string {
  return form === 'receipts' ? 'proven' : `compared (${fallback})`
}

function Age({ at }: { at: number }) {
  const ageMs = Math.max(0, useNow() - at)
  return (
    <BoxedFact name="Age" class="c-narrow">
      <Time at={at} text={ageMs < 500 ? '0 s' : lengthText(ageMs)} />
    </BoxedFact>
  )
}

function NoneAnswers({ network: { id, head } }: { network: Network }) {
  return (
    <Note tone="bad" icon="warn" class="slimnote" role="alert">
      <b>No node of {id} answers.</b> Calls get an error.{' '}
      {head
        ? `Webhooks wait at block ${whole(head.number)} and lose nothing.`
        : 'Webhooks begin when one does.'}
    </Note>
  )
}

type Index = Network['account_indexes'][number]

function IndexLine({ index }: { index: Index }) {
  const { program, state, slot, accounts, lag_slots: lag, last_fault: fault } = index
  const place = slot === null ? '' : ` at slot ${whole(slot)}`
  const behind = lag !== null && lag > 0 ? `, ${plural(lag, 'slot')} behind` : ''
  return (
    <div class="cf">
      <Icon name="inbox" small />
      <span>
        Account index:{' '}
        <span class="mono tiny" title={program}>
          {middleCut(program, { head: 9, tail: 5 })}
        </span>{' '}
        {state === 'live' ? 'live' : 'catching up'}
        {place}
        {behind} with {plural(accounts, 'account')}
        {fault !== null && <span class="reason">Last fault: {fault}</span>}
      </span>
    </div>
  )
}

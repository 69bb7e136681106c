import { useState } from 'preact/hooks'
import { FilterSelect } from '../../../parts/forms/field.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { whole } from '../../../parts/text/format.ts'
import { changeQuery } from '../../../shell/routing/router.ts'
import { type LogFilters, STATUSES } from './log-question.ts'

/** The filters of the log; they stand in the address, so that a link shows the same. */
export function LogFilterBar({ filters }: { filters: LogFilters }) {
  return (
    <>
      <FilterSelect
        label="Status"
        isOn
        value={filters.status}
        values={STATUSES}
        onChange={(status) => changeQuery({ status })}
      />
      <BlockFilter block={filters.block} />
      <ToggleFilter name="retried" text="Retried" icon="again" isOn={filters.isRetried} />
      <ToggleFilter name="rerun" text="Re-runs" icon="fork" isOn={filters.isRerun} />
    </>
  )
}

function ToggleFilter(props: {
  name: string
  text: string
  icon: 'again' | 'fork'
  isOn: boolean
}) {
  const { name, isOn } = props
  return (
    <button
      type="button"
      class={isOn ? 'filter on' : 'filter'}
      aria-pressed={isOn}
      onClick={() => changeQuery({ [name]: isOn ? null : '1' })}
    >
      <Icon name={props.icon} small />
      {isOn ? <b>{props.text}</b> : props.text}
    </button>
  )
}

function BlockFilter({ block }: { block: number | null }) {
  const [isOpen, setOpen] = useState(false)
  const apply = (text: string) => {
    const digits = text.replace(/[^0-9]/g, '').slice(0, 15)
    changeQuery({ block: digits || null })
    setOpen(false)
  }
  if (isOpen) {
    return (
      <input
        class="in mono blockin"
        inputMode="numeric"
        aria-label="Block number"
        placeholder="Block number"
        maxLength={20}
        ref={(input) => input?.focus()}
        onBlur={(event) => apply(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') apply(event.currentTarget.value)
          if (event.key === 'Escape') setOpen(false)
        }}
      />
    )
  }
  if (block === null) {
    return (
      <button type="button" class="filter" onClick={() => setOpen(true)}>
        <Icon name="plus" small />
        Block
      </button>
    )
  }
  return (
    <button
      type="button"
      class="filter on"
      aria-label={`Block ${whole(block)}: any block again`}
      onClick={() => changeQuery({ block: null })}
    >
      Block <b>{whole(block)}</b>
      <Icon name="x" small />
    </button>
  )
}

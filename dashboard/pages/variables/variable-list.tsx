import type { Variable } from '@headgate/client'
import { useState } from 'preact/hooks'
import { useCall } from '../../api/use-call.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Tag } from '../../parts/state.tsx'
import { plural, whole } from '../../parts/text/format.ts'
import { ItemsForm } from './items-form.tsx'

const NAME = /^[_A-Za-z]\w{0,63}$/

export function VariableList({ onOpen }: { onOpen(name: string): void }) {
  const call = useCall('listVariables')
  const { items = 0, items_max = 0 } = call.data ?? {}
  return (
    <div class="col g16">
      <p>
        Lists that queries use by name. A change acts from the next block on, in every webhook that
        names it.
      </p>
      <Loaded call={call} rows={3} empty={NONE}>
        {(variables) => (
          <>
            <VariableTable variables={variables} onOpen={onOpen} />
            <p class="hint">
              {whole(items)} of {whole(items_max)} items that the plan allows over all of them.
            </p>
          </>
        )}
      </Loaded>
      {call.data && <NewVariable taken={call.data.data.map(({ name }) => name)} onOpen={onOpen} />}
    </div>
  )
}

const NONE = (
  <Empty icon="filter" title="No variables yet">
    A query that names <code>$wallets</code> matches nothing until the list has items.
  </Empty>
)

const COLUMNS: readonly Column<Variable>[] = [
  { head: 'Holds', cell: ({ kind }) => <Tag>{kind}</Tag> },
  { head: 'Items', class: 'num', cell: ({ items }) => whole(items) },
  {
    head: 'Used by',
    class: 'num',
    cellClass: 'quiet',
    cell: ({ webhook_ids }) =>
      webhook_ids.length > 0 ? plural(webhook_ids.length, 'webhook') : 'nobody',
  },
]

function VariableTable(props: { variables: readonly Variable[]; onOpen(name: string): void }) {
  const open = ({ name }: Variable) => props.onOpen(name)
  const nameColumn: Column<Variable> = {
    head: 'Name',
    cell: (variable) => (
      <button class="link strong mono" type="button" onClick={() => open(variable)}>
        ${variable.name}
      </button>
    ),
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
    <section class="tw boxed variables" tabIndex={0} aria-label="Variables">
      <DataTable
        columns={[nameColumn, ...COLUMNS]}
        rows={props.variables}
        keyOf={({ name }) => name}
        onOpen={open}
      />
    </section>
  )
}

/** The first items of a name make the variable. */
function NewVariable(props: { taken: readonly string[]; onOpen(name: string): void }) {
  const [typed, setTyped] = useState('')
  const name = typed.trim().replace(/^\$/, '')
  const fault =
    name && !NAME.test(name)
      ? 'Letters, digits and underscores, no digit first, up to 64'
      : props.taken.includes(name)
        ? 'There is one of this name: open it to change it'
        : undefined
  const lacks = name ? fault : 'It needs a name'
  return (
    <details class="new-variable">
      <summary>New variable</summary>
      <div class="col g12">
        <TextField
          label="Name"
          class="mono"
          placeholder="wallets"
          maxLength={65}
          fault={fault}
          value={typed}
          onChange={setTyped}
        />
        <ItemsForm
          name={name}
          kind={null}
          label="Its first items"
          lacks={lacks}
          isMain
          onDone={() => props.onOpen(name)}
        />
      </div>
    </details>
  )
}

import { useState } from 'preact/hooks'
import { callApi, messageOf } from '../../api/call-api.ts'
import { invalidate, useCall } from '../../api/use-call.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { LoadFault } from '../../parts/empty.tsx'
import { Refusal } from '../../parts/note.tsx'
import { middleCut, plural, whole } from '../../parts/text/format.ts'
import { changeQuery, usePlace } from '../../shell/routing/router.ts'

type ItemChange = { add: string[] } | { delete: string[] }

const PAGE_ITEMS = 50

export function ItemsPage({ name, total }: { name: string; total: number }) {
  const after = usePlace().query.get('items_after') ?? undefined
  const [before, setBefore] = useState<readonly string[]>([])
  const parameters = { name, limit: PAGE_ITEMS, ...(after && { after }) }
  const { data, error, reload } = useCall('listVariableItems', parameters)
  const next = data?.pagination.cursors.after
  const [gone, setGone] = useState('')
  const [fault, setFault] = useState('')
  const change = async (body: ItemChange) => {
    setFault('')
    try {
      await callApi('changeVariableItems', { parameters: { name }, body })
      setGone('delete' in body ? (body.delete[0] ?? '') : '')
      invalidate('listVariables', 'listVariableItems')
    } catch (thrown) {
      setFault(messageOf(thrown))
    }
  }
  const goTo = (cursor: string, history: readonly string[]) => {
    setBefore(history)
    changeQuery({ items_after: cursor || null })
  }
  if (error && !data) return <LoadFault error={error} retry={reload} />
  return (
    <div class="col g8">
      <div class="row wrap items-find">
        <FindItem onFind={(prefix) => goTo(prefix, after ? [...before, after] : [...before, ''])} />
        <span class="grow" />
        <span class="quiet tiny">{whole(total)} in all, in ascending order</span>
      </div>
      <ol class="items boxed" aria-label={`Items of $${name}`}>
        {data?.data.map((item) => (
          <ItemRow key={item} item={item} onTake={() => void change({ delete: [item] })} />
        ))}
        {data?.data.length === 0 && <li class="quiet">None from here on.</li>}
      </ol>
      <LastChange gone={gone} fault={fault} onUndo={() => void change({ add: [gone] })} />
      <div class="row">
        <Button
          class="sm"
          disabled={!after}
          onClick={() => goTo(before.at(-1) ?? '', before.slice(0, -1))}
        >
          Previous
        </Button>
        <span class="grow hint centred">{data ? plural(data.data.length, 'item') : ''}</span>
        <Button
          class="sm"
          disabled={!next}
          onClick={() => next && goTo(next, [...before, after ?? ''])}
        >
          Next
        </Button>
      </div>
    </div>
  )
}

/** The item that was taken away last can be put back; toasts are behind the dialog. */
function LastChange(props: { gone: string; fault: string; onUndo(): void }) {
  if (props.fault) return <Refusal>{props.fault}</Refusal>
  if (!props.gone) return null
  return (
    <div class="note ok taken" role="status">
      <span class="grow">
        Took <code>{middleCut(props.gone, { head: 10, tail: 8 })}</code> away
      </span>
      <Button class="sm" onClick={props.onUndo}>
        Undo
      </Button>
    </div>
  )
}

function ItemRow({ item, onTake }: { item: string; onTake(): void }) {
  return (
    <li>
      <code class="grow">{item}</code>
      <IconButton
        class="sm"
        icon="x"
        label={`Take ${item} away`}
        title="Take away"
        onClick={onTake}
      />
    </li>
  )
}

function FindItem({ onFind }: { onFind(prefix: string): void }) {
  const [text, setText] = useState('')
  const prefix = text.trim().toLowerCase()
  const isPrefix = /^0x[0-9a-f]{1,64}$/.test(prefix)
  const find = (event: Event) => {
    event.preventDefault()
    // Items come after the cursor, so the one that is looked for stands right behind this.
    if (isPrefix) onFind(justBefore(prefix))
  }
  return (
    <form class="row" onSubmit={find}>
      <input
        class="in mono"
        type="search"
        aria-label="Begins with"
        placeholder="0x… go to"
        maxLength={66}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button class="sm" type="submit" disabled={!isPrefix}>
        Go
      </Button>
    </form>
  )
}

/** A text that sorts right before all that begin with the prefix. */
function justBefore(prefix: string): string {
  const number = BigInt(prefix)
  if (number === 0n) return '0x0'
  const digits = prefix.length - 2
  const below = (number - 1n).toString(16).padStart(digits, '0')
  return `0x${below}${'f'.repeat(64 - digits)}`
}

import { useId, useMemo, useState } from 'preact/hooks'
import { Button, IconButton } from '../../parts/button.tsx'
import { Bar } from '../../parts/charts/bar.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note, Refusal } from '../../parts/note.tsx'
import { bytes, plural, whole } from '../../parts/text/format.ts'
import { type ItemKind, type ItemsSeen, openItemReader } from './read-items.ts'
import type { ItemsChange } from './send-items.ts'
import { type Sending, useSending } from './use-sending.ts'

const FILES = '.txt,.csv,.tsv,.json,.jsonl,.ndjson,text/*,application/json'

const KIND_WORDS = { Address: ['address', 'addresses'], Bytes32: ['value', 'values'] } as const

export function ItemsForm(props: {
  name: string
  kind: ItemKind | null
  label: string
  rows?: number
  /** Why nothing can be sent yet. */
  lacks?: string | undefined
  mayTakeAway?: boolean
  /** It is what the dialog is for. */
  isMain?: boolean
  onDone?(): void
}) {
  const { name, kind, rows = 4 } = props
  const [text, setText] = useState('')
  const [file, setFile] = useState<File | null>(null)
  const sending = useSending()
  const seen = useMemo(() => seenIn(text, kind), [text, kind])
  const id = useId()
  const send = async (how: ItemsChange['how']) => {
    const source = file ?? new Blob([text])
    if (!(await sending.start(source, { name, kind, how }))) return
    setText('')
    setFile(null)
    props.onDone?.()
  }
  if (sending.change) return <SendingBar sending={sending} change={sending.change} />
  return (
    <div class="col">
      <div class="field">
        <label for={id}>{props.label}</label>
        {file ? (
          <ChosenFile file={file} onDrop={() => setFile(null)} />
        ) : (
          <textarea
            id={id}
            class="in mono"
            rows={rows}
            spellcheck={false}
            placeholder="One a line, commas, CSV or JSON"
            value={text}
            aria-describedby={`${id}-hint`}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
        <SeenHint id={`${id}-hint`} seen={file ? null : seen} kind={kind} isEmpty={!text} />
      </div>
      {sending.done && (
        <Note tone="ok" icon="check" role="status">
          {sending.done}
        </Note>
      )}
      <Refusal>{sending.fault}</Refusal>
      <ItemsActions {...props} file={file} found={seen.found} send={send} onFile={setFile} />
    </div>
  )
}

function ItemsActions(props: {
  lacks?: string | undefined
  mayTakeAway?: boolean
  isMain?: boolean
  file: File | null
  found: number
  send(how: ItemsChange['how']): Promise<void>
  onFile(file: File | null): void
}) {
  const { file, found } = props
  const what = file ? 'the items of the file' : plural(found, 'item')
  const lacks = props.lacks ?? (file || found > 0 ? undefined : 'There is no item yet')
  return (
    <div class="row wrap">
      <label class="btn sm upload">
        <Icon name="out" small />
        Upload a file
        <input
          class="vh"
          type="file"
          accept={FILES}
          onChange={({ currentTarget }) => {
            props.onFile(currentTarget.files?.[0] ?? null)
            currentTarget.value = ''
          }}
        />
      </label>
      <span class="grow" />
      {props.mayTakeAway && (
        <Button
          class="sm danger"
          disabled={lacks !== undefined}
          title={lacks ?? ''}
          onClick={() => void props.send('delete')}
        >
          Take away
        </Button>
      )}
      <Button
        class={props.isMain ? 'sm primary' : 'sm'}
        icon="plus"
        disabled={lacks !== undefined}
        title={lacks ?? ''}
        onClick={() => void props.send('add')}
      >
        Add {what}
      </Button>
    </div>
  )
}

function ChosenFile({ file, onDrop }: { file: File; onDrop(): void }) {
  return (
    <div class="row chosen-file">
      <span class="grow">
        <b>{file.name}</b> <span class="quiet">{bytes(file.size)}</span>
      </span>
      <IconButton class="sm" icon="x" label="Paste instead" onClick={onDrop} />
    </div>
  )
}

function SendingBar({ sending, change }: { sending: Sending; change: ItemsChange }) {
  const { bytesRead = 0, bytesTotal = 0, sent = 0 } = sending.progress ?? {}
  const percent = (bytesRead / Math.max(1, bytesTotal)) * 100
  const verb = change.how === 'add' ? 'Adding to' : 'Taking from'
  return (
    <section class="col g8 sending" aria-label={`${verb} $${change.name}`}>
      <div class="spread small">
        <span role="status">
          {verb} <code>${change.name}</code>: {whole(sent)} items so far
        </span>
        <span class="quiet">
          {bytes(bytesRead)} of {bytes(bytesTotal)}
        </span>
      </div>
      <Bar percent={percent} label={`${Math.round(percent)} percent are read`} />
      <div class="row">
        <span class="grow hint">10,000 items a call. What was sent stays when you stop.</span>
        <Button class="sm" onClick={sending.cancel}>
          Stop
        </Button>
      </div>
    </section>
  )
}

function SeenHint(props: {
  id: string
  seen: ItemsSeen | null
  kind: ItemKind | null
  isEmpty: boolean
}) {
  const { id, seen, kind } = props
  if (!seen || props.isEmpty) {
    const holds = kind
      ? `Holds ${KIND_WORDS[kind][1]}${kind === 'Bytes32' ? ' of 32 bytes' : ''}. `
      : ''
    return (
      <p id={id} class="hint">
        {holds}Checksummed addresses are fine; what is given twice counts once.
      </p>
    )
  }
  const [one, many] = KIND_WORDS[seen.kind ?? 'Address']
  return (
    <p id={id} class="hint" role="status">
      <span class={seen.found > 0 ? 'ok' : ''}>{plural(seen.found, one, many)}</span>
      {seen.padded > 0 && `, ${plural(seen.padded, 'address', 'addresses')} made 32 bytes long`}
      {seen.strange > 0 && (
        <span class="badtext">
          , {whole(seen.strange)} not understood: {seen.samples.join(', ')}
        </span>
      )}
    </p>
  )
}

function seenIn(text: string, kind: ItemKind | null): ItemsSeen {
  const reader = openItemReader(kind)
  reader.push(text)
  reader.finish()
  return reader.seen()
}

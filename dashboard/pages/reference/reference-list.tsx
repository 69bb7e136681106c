import { useEffect, useState, useRef } from 'preact/hooks'
import { Empty } from '../../parts/empty.tsx'
import { navigate, usePlace } from '../../shell/routing/router.ts'
import { CallDetails } from './call-details.tsx'
import { FieldTable } from './document/field-table.tsx'
import { Inline } from './document/prose.tsx'
import type { ReferenceCall, ReferenceDoc, ReferenceObject } from './document/reference-doc.ts'
import type { FoundReference } from './find-reference.ts'
import type { ComponentChildren } from 'preact'
import { Icon } from '../../parts/icon.tsx'

type Opened = { ids: ReadonlySet<string>; target: string; toggle(id: string): void }

/** All calls and objects that were found, each a line that opens. */
export function ReferenceList({ found, doc }: { found: FoundReference; doc: ReferenceDoc }) {
  const opened = useOpened()
  if (found.groups.length === 0 && found.objects.length === 0) {
    return (
      <Empty isCard icon="find" title="Nothing has this in it">
        Paths, summaries, parameters and the names of fields are searched.
      </Empty>
    )
  }
  return (
    <div class="reflist">
      {found.groups.map(({ name, description, calls }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <p class="quiet small">
            <Inline text={description} />
          </p>
          {calls.map((call) => (
            <CallCard key={call.doc.operationId} call={call} doc={doc} opened={opened} />
          ))}
        </section>
      ))}
      {found.objects.length > 0 && (
        <section aria-label="Objects">
          <h2>Objects</h2>
          <p class="quiet small">What calls take and answer.</p>
          {found.objects.map((object) => (
            <ObjectCard key={object.name} object={object} doc={doc} opened={opened} />
          ))}
        </section>
      )}
    </div>
  )
}

function CallCard(props: { call: ReferenceCall; doc: ReferenceDoc; opened: Opened }) {
  const { call, doc, opened } = props
  const id = call.doc.operationId
  return (
    <ReferenceCard
      id={id}
      isOpen={opened.ids.has(id)}
      isTarget={opened.target === id}
      onToggle={() => opened.toggle(id)}
      face={
        <>
          <span class={`verb ${call.method.toLowerCase()}`}>{call.method}</span>
          <code class="path">{call.path}</code>
          <span class="sum">{call.doc.summary}</span>
        </>
      }
    >
      {() => <CallDetails call={call} schemas={doc.schemas} />}
    </ReferenceCard>
  )
}

function ObjectCard(props: { object: ReferenceObject; doc: ReferenceDoc; opened: Opened }) {
  const { object, doc, opened } = props
  const id = `schema-${object.name}`
  return (
    <ReferenceCard
      id={id}
      isOpen={opened.ids.has(id)}
      isTarget={opened.target === id}
      onToggle={() => opened.toggle(id)}
      face={<code class="path">{object.name}</code>}
    >
      {() => (
        <div class="cb">
          <FieldTable schema={object.schema} schemas={doc.schemas} />
        </div>
      )}
    </ReferenceCard>
  )
}

/** The cards that are open; the address names the last one. */
function useOpened(): Opened {
  const { hash } = usePlace()
  const target = decodeURIComponent(hash.slice(1))
  const [ids, setIds] = useState<ReadonlySet<string>>(() => new Set(target ? [target] : []))
  useEffect(() => {
    if (target) setIds((before) => new Set([...before, target]))
  }, [target])
  const toggle = (id: string) => {
    const isOpen = ids.has(id)
    setIds(new Set(isOpen ? [...ids].filter((one) => one !== id) : [...ids, id]))
    const { pathname, search } = location
    if (!isOpen || id === target) {
      navigate(`${pathname}${search}${isOpen ? '' : `#${id}`}`, { replace: true })
    }
  }
  return { ids, target, toggle }
}

type Props = {
  id: string
  face: ComponentChildren
  isOpen: boolean
  /** It is what the address names. */
  isTarget: boolean
  onToggle(): void
  children(): ComponentChildren
}

/** A line that opens; what is inside is made only then, so that a long page stays quick. */
function ReferenceCard(props: Props) {
  const { id, isOpen, isTarget } = props
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isTarget) ref.current?.scrollIntoView({ block: 'start' })
  }, [isTarget])
  return (
    <article ref={ref} id={id} class={isTarget ? 'card refcard target' : 'card refcard'}>
      <h3>
        <button
          class="refhead"
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-inside` : undefined}
          onClick={props.onToggle}
        >
          {props.face}
          <Icon name={isOpen ? 'down' : 'chev'} small />
        </button>
      </h3>
      {isOpen && <div id={`${id}-inside`}>{props.children()}</div>}
    </article>
  )
}

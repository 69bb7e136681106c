import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { navigate, usePlace } from '../../shell/routing/router.ts'
import { CallDetails } from './call-details.tsx'
import { FieldTable } from './document/field-table.tsx'
import { Inline } from './document/prose.tsx'
import type { FoundReference, ReferenceCall, ReferenceDoc } from './document/reference-doc.ts'

type Opened = { ids: ReadonlySet<string>; target: string; toggle(id: string): void }

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
            <ReferenceCard
              key={call.doc.operationId}
              id={call.doc.operationId}
              opened={opened}
              face={<CallFace call={call} />}
            >
              {() => <CallDetails call={call} schemas={doc.schemas} />}
            </ReferenceCard>
          ))}
        </section>
      ))}
      {found.objects.length > 0 && (
        <section aria-label="Objects">
          <h2>Objects</h2>
          <p class="quiet small">What calls take and answer.</p>
          {found.objects.map((object) => (
            <ReferenceCard
              key={object.name}
              id={`schema-${object.name}`}
              opened={opened}
              face={<code class="path">{object.name}</code>}
            >
              {() => (
                <div class="cb">
                  <FieldTable schema={object.schema} schemas={doc.schemas} />
                </div>
              )}
            </ReferenceCard>
          ))}
        </section>
      )}
    </div>
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

function CallFace({ call: { method, path, doc } }: { call: ReferenceCall }) {
  return (
    <>
      <span class={`verb ${method.toLowerCase()}`}>{method}</span>
      <code class="path">{path}</code>
      <span class="sum">{doc.summary}</span>
    </>
  )
}

type Props = {
  id: string
  opened: Opened
  face: ComponentChildren
  children(): ComponentChildren
}

/** A line that opens; what is inside is made only then, so that a long page stays quick. */
function ReferenceCard({ id, opened, face, children }: Props) {
  const isOpen = opened.ids.has(id)
  const isTarget = opened.target === id
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
          onClick={() => opened.toggle(id)}
        >
          {face}
          <Icon name={isOpen ? 'down' : 'chev'} small />
        </button>
      </h3>
      {isOpen && <div id={`${id}-inside`}>{children()}</div>}
    </article>
  )
}

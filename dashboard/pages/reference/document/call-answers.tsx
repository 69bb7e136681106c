import { DataTable } from '../../../parts/data-table.tsx'
import { PlainCode } from '../../../parts/text/code-block.tsx'
import { FieldTable } from './field-table.tsx'
import { Inline } from './prose.tsx'
import type { AnswerPart, CallDoc, ReferenceDoc, SchemaDoc } from './reference-doc.ts'
import { TypeText } from './type-text.tsx'

export function CallAnswers(props: { doc: CallDoc; schemas: ReferenceDoc['schemas'] }) {
  const { responses } = props.doc
  const hoped = responses['201'] ? '201' : '200'
  const errors = Object.entries(responses).filter(([status]) => status !== hoped)
  const answer = responses[hoped]
  return (
    <>
      {answer && <Answer status={hoped} answer={answer} schemas={props.schemas} />}
      {errors.length > 0 && (
        <Pairs
          title="Errors"
          heads={['Status', 'When']}
          rows={errors.map(([status, { description }]) => [status, description])}
        />
      )}
    </>
  )
}

function Answer(props: { status: string; answer: AnswerPart; schemas: ReferenceDoc['schemas'] }) {
  const { status, answer } = props
  const [type, media] = Object.entries(answer.content ?? {})[0] ?? []
  const isBare = media?.schema.type === 'object' && !media.schema.properties
  const events = Object.entries(media?.schema['x-events'] ?? {})
  const headers = Object.entries(answer.headers ?? {})
  return (
    <>
      <h4>
        Answer <span class="faint">{status}</span>
      </h4>
      <p class="small">
        <Inline text={answer.description} />{' '}
        {media && !isBare && events.length === 0 && <TypeText schema={media.schema} />}
        {type && type !== 'application/json' && <code class="ic">{type}</code>}
      </p>
      {events.map(([name, schema]) => (
        <EventFields key={name} name={name} schema={schema} schemas={props.schemas} />
      ))}
      {media?.example !== undefined && (
        <PlainCode
          name="Example"
          text={JSON.stringify(media.example, null, 2)}
          what="the example"
        />
      )}
      {headers.length > 0 && (
        <Pairs
          title="Headers of the answer"
          heads={['Header', 'Meaning']}
          rows={headers.map(([name, { description }]) => [name, description])}
        />
      )}
    </>
  )
}

function EventFields(props: { name: string; schema: SchemaDoc; schemas: ReferenceDoc['schemas'] }) {
  return (
    <details class="more">
      <summary>
        Event <code>{props.name}</code>
      </summary>
      <FieldTable schema={props.schema} schemas={props.schemas} />
    </details>
  )
}

function Pairs(props: {
  title: string
  heads: readonly [string, string]
  rows: readonly (readonly [string, string])[]
}) {
  return (
    <details class="more">
      <summary>{props.title}</summary>
      <div class="tw">
        <DataTable
          class="fields two"
          columns={[
            { head: props.heads[0], cell: ([name]) => <code>{name}</code> },
            { head: props.heads[1], cell: ([, text]) => <Inline text={text} /> },
          ]}
          rows={props.rows}
          keyOf={([name]) => name}
        />
      </div>
    </details>
  )
}

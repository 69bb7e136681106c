import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { Inline } from './prose.tsx'
import {
  objectName,
  type ParameterPart,
  type ReferenceDoc,
  type SchemaDoc,
} from './reference-doc.ts'
import { TypeText } from './type-text.tsx'

type Row = {
  name: string
  isRequired: boolean
  schema: SchemaDoc
  description: string
  place: string
}

/** The fields of an object, or the type of what is none. */
export function FieldTable(props: { schema: SchemaDoc; schemas: ReferenceDoc['schemas'] }) {
  const name = objectName(props.schema)
  const object = (name && props.schemas[name]) || props.schema
  const fields = Object.entries(object.properties ?? {})
  if (fields.length === 0) {
    return (
      <p class="small">
        <TypeText schema={props.schema} />
      </p>
    )
  }
  const rows = fields.map(([field, schema]) => ({
    name: field,
    isRequired: object.required?.includes(field) ?? false,
    schema,
    description: schema.description ?? '',
    place: '',
  }))
  return <RowTable heading="Field" rows={rows} />
}

export function ParameterTable({ parameters }: { parameters: readonly ParameterPart[] }) {
  const rows = parameters.map((it) => ({
    name: it.name,
    isRequired: it.required,
    schema: it.schema,
    description: it.description,
    place: it.in,
  }))
  return <RowTable heading="Parameter" rows={rows} />
}

const COLUMNS: readonly Column<Row>[] = [
  { head: 'Type', cell: ({ schema }) => <TypeText schema={schema} /> },
  {
    head: 'Meaning',
    cell: ({ description, schema }) => <Inline text={description + fallbackOf(schema)} />,
  },
]

function RowTable({ heading, rows }: { heading: string; rows: readonly Row[] }) {
  const nameColumn: Column<Row> = {
    head: heading,
    cell: (row) => (
      <>
        <code>{row.name}</code>
        <span class="faint tiny">{notesOf(row)}</span>
      </>
    ),
  }
  return (
    <div class="tw">
      <DataTable
        class="fields"
        columns={[nameColumn, ...COLUMNS]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </div>
  )
}

function notesOf({ place, isRequired }: Row): string {
  return [place, isRequired ? 'required' : ''].filter((note) => note !== '').join(', ')
}

function fallbackOf(schema: SchemaDoc): string {
  return schema.default === undefined ? '' : ` Default: \`${String(schema.default)}\`.`
}

import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { Inline } from './prose.tsx'
import {
  objectName,
  type ParameterPart,
  type ReferenceDoc,
  type SchemaDoc,
} from './reference-doc.ts'
import { TypeText } from './type-text.tsx'

/** A parameter, or a field as if it were one. */
type Row = Omit<ParameterPart, 'in'> & { in: string }

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
    in: '',
    required: object.required?.includes(field) ?? false,
    schema,
    description: schema.description ?? '',
  }))
  return <RowTable heading="Field" rows={rows} />
}

const COLUMNS: readonly Column<Row>[] = [
  { head: 'Type', cell: ({ schema }) => <TypeText schema={schema} /> },
  {
    head: 'Meaning',
    cell: ({ description, schema }) => <Inline text={description + fallbackOf(schema)} />,
  },
]

export function RowTable({ heading, rows }: { heading: string; rows: readonly Row[] }) {
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

function notesOf({ in: place, required }: Row): string {
  return [place, required ? 'required' : ''].filter((note) => note !== '').join(', ')
}

function fallbackOf(schema: SchemaDoc): string {
  return schema.default === undefined ? '' : ` Default: \`${String(schema.default)}\`.`
}

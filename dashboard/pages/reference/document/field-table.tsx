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

function RowTable({ heading, rows }: { heading: string; rows: readonly Row[] }) {
  return (
    <div class="tw">
      <table class="fields">
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td>
                <code>{row.name}</code>
                <span class="faint tiny">{notesOf(row)}</span>
              </td>
              <td>
                <TypeText schema={row.schema} />
              </td>
              <td>
                <Inline text={row.description + fallbackOf(row.schema)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function notesOf({ place, isRequired }: Row): string {
  return [place, isRequired ? 'required' : ''].filter((note) => note !== '').join(', ')
}

function fallbackOf(schema: SchemaDoc): string {
  return schema.default === undefined ? '' : ` Default: \`${String(schema.default)}\`.`
}

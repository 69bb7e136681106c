/** Headers as frameworks have them: a `Headers` object, or the plain object of Node. */
export type DeliveryHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type HeaderFault = { reason: 'header_missing' | 'header_repeated'; name: string }

/**
 * The one value of a header. Both kinds of headers join what was sent twice with a comma and
 * a space, which no header of a delivery has in it by itself.
 */
export function oneHeader(headers: DeliveryHeaders, name: string): string | HeaderFault {
  const values = valuesOf(headers, name)
  if (values.length === 0) return { reason: 'header_missing', name }
  const [value] = values
  if (values.length > 1 || value === undefined || value.includes(', ')) {
    return { reason: 'header_repeated', name }
  }
  return value
}

function valuesOf(headers: DeliveryHeaders, name: string): string[] {
  if (typeof headers.get === 'function') {
    const value = headers.get(name)
    return value === null ? [] : [value]
  }
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []) as string[]
}

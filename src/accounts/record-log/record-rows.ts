export type Row = { key: Uint8Array; start: number; length: number }

/** A key, where its record starts, and how long that is. */
export const ROW_BYTES = 44
export const KEY_BYTES = 32
const START_AT = 32
const LENGTH_AT = 40

/** Writes rows, each into the same bytes: they are to be copied before the next. */
export function openRowWriter(): (key: Uint8Array, start: number, length: number) => Uint8Array {
  const row = new Uint8Array(ROW_BYTES)
  const view = new DataView(row.buffer)
  return (key, start, length) => {
    row.set(key)
    // A double holds every place in a file exactly.
    view.setFloat64(START_AT, start)
    view.setUint32(LENGTH_AT, length)
    return row
  }
}

export function readRows(bytes: Uint8Array): Row[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const rows: Row[] = []
  for (let at = 0; at < bytes.length; at += ROW_BYTES) {
    rows.push({
      key: bytes.subarray(at, at + KEY_BYTES),
      start: view.getFloat64(at + START_AT),
      length: view.getUint32(at + LENGTH_AT),
    })
  }
  return rows
}

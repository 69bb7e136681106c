import type { Chance } from '../basics/seeded-chance.ts'

/** A node's JSON, which tests read and bend at will. */
// biome-ignore lint/suspicious/noExplicitAny: it has whatever members a node gives.
export type NodeJson = Record<string, any>

export function hex(chance: Chance, bytes: number): string {
  let text = '0x'
  for (let at = 0; at < bytes; at++) text += chance.between(0, 255).toString(16).padStart(2, '0')
  return text
}

export function quantity(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

/** Mostly lower case, as nodes write it; some checksum, some shout. */
export function spelled(chance: Chance, text: string): string {
  return chance.fraction() < 0.05 ? `0x${text.slice(2).toUpperCase()}` : text
}

/** Mostly minimal; some nodes pad with zeros. */
export function bigQuantity(chance: Chance): string {
  const digits = hex(chance, chance.between(1, 9)).slice(2)
  if (chance.fraction() < 0.1) return `0x${digits}`
  return `0x${digits.replace(/^0+/, '') || '0'}`
}

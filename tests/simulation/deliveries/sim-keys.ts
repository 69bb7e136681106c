const SEAL = 'sealed'

/** Of webhooks whose makers did not care for one. */
const USUAL_KEY = `whsec_${'k'.repeat(32)}`

export function sealed(key: string): string {
  return SEAL + key
}

export function unsealed(text: string): string {
  return text.slice(SEAL.length) || USUAL_KEY
}

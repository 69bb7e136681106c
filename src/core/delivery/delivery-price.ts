/** 0.04 CU a byte. Whole numbers keep the bill exact. */
const CENTI_CU_PER_BYTE = 4

export function deliveryPriceCentiCu(bodyBytes: number): number {
  return bodyBytes * CENTI_CU_PER_BYTE
}
